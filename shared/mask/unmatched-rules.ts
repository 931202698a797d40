import type { TransformRule } from '../contract/models/transform.ts';
import { describeRule } from './compile-rules.ts';
import type { TransformCounts } from './transform-counts.ts';

/** Rules that found no field in any document, with their positions. */
export const unmatchedRules = (
  rules: readonly TransformRule[],
  { matches }: Pick<TransformCounts, 'matches'>,
): readonly { readonly index: number; readonly rule: TransformRule }[] =>
  rules.flatMap((rule, index) => (matches[index] ? [] : [{ index, rule }]));

/** Why a masked copy with such rules is refused: data that they were to mask may have another name. Rules are counted from 1, as people do. */
export const unmatchedReason = (
  unmatched: ReturnType<typeof unmatchedRules>,
  purpose: 'restore' | 'export' = 'restore',
): string => {
  const [first] = unmatched;
  const described = first ? `rule ${first.index + 1} (${describeRule(first.rule)})` : 'no rule';
  const more = unmatched.length > 1 ? ` and ${unmatched.length - 1} more` : '';
  return `${described}${more} matches no field of the documents to ${purpose}; correct it, or set allowUnmatched`;
};
