/** Masks documents by rules: what a masked copy and a masked export have in common. README.md explains the rules. */

export { compileRules } from './compile-rules.ts';
export { DocumentMasker, type MaskedDocument } from './document-masker.ts';
export { type ParsedRules, parseRules } from './parse-rules.ts';
export { RuleSet } from './rule-set.ts';
export { sumTransforms, type TransformCounts, TransformTally } from './transform-counts.ts';
export { unmatchedReason, unmatchedRules } from './unmatched-rules.ts';
