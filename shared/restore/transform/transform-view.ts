/** A masked copy as the API, the history and the events show it: its rules and counts, never values. */
import type * as z from 'zod/mini';
import type { RuleMatch, TransformRule, TransformSummary } from '../../contract/models/transform.ts';
import { type TransformCounts, unmatchedRules } from '../../mask/index.ts';
import { takeWithinBytes } from '../../platform/index.ts';
import type { RestoreTransform } from './restore-transform.ts';

/** `counts` are those of the check, which reads the whole backup. */
export const transformSummary = (
  { rules, allowUnmatched }: RestoreTransform,
  counts: TransformCounts | undefined,
): z.input<typeof TransformSummary> => ({
  rules: rules.length,
  allowUnmatched,
  documentsTransformed: counts?.documents ?? null,
  fieldsTransformed: counts?.fields ?? null,
  unmatchedRules: counts ? shownRules(unmatchedRules(rules, counts).map(({ rule }) => rule)) : [],
});

export const ruleMatches = ({ rules }: RestoreTransform, counts: TransformCounts | undefined): z.input<typeof RuleMatch>[] =>
  rules.map((rule, n) => ({ ...rule, documents: counts?.matches[n] ?? (counts ? 0 : null) }));

/** The first rules: all of them may not fit into an event. */
export const shownRules = (rules: readonly TransformRule[]): TransformRule[] => [
  ...takeWithinBytes(rules, { sizeOf: (rule) => Buffer.byteLength(JSON.stringify(rule)), maxBytes: 10_000, maxCount: 100 }),
];
