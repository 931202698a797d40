import { ApiFailure } from '../../../../../../shared/client/index.ts';
import { describeFailure } from '../../../format/describe-failure.ts';
import type { MaskRule } from '../../../parts/mask/mask-rules.ts';

export interface RuleProblem {
  /** As the mask step counts; undefined for all rules together. */
  readonly number: number | undefined;
  /** The label and the text of the input, if it is one. */
  readonly input: { readonly label: string; readonly text: string } | undefined;
  readonly reason: string;
}

const rulePath = /^options\.transform\.rules(?:\.(\d+)(?:\.(collection|field))?)?/;

/** What is wrong with the rules, in the words of the mask step; undefined if the error is about something else. */
export const findInvalid = (error: unknown, rules: readonly MaskRule[]): readonly RuleProblem[] | undefined => {
  if (!(error instanceof ApiFailure)) return undefined;
  const { fields } = describeFailure(error);
  if (fields.length === 0 || !fields.every(({ field }) => rulePath.test(field))) return undefined;
  return fields.map(({ field, reason }): RuleProblem => {
    const [, index, part] = rulePath.exec(field) ?? [];
    const text = index === undefined || part === undefined ? undefined : rules[Number(index)]?.[part as 'collection' | 'field'];
    return {
      number: index === undefined ? undefined : Number(index) + 1,
      input: text === undefined ? undefined : { label: part === 'field' ? 'Field' : 'Collection', text },
      reason: overlapReason(error) ?? reason,
    };
  });
};

/** Shorter than the words of the service; its details count from 0. */
const overlapReason = ({ details }: ApiFailure): string | undefined => {
  if (!Array.isArray(details.overlapping) || !Array.isArray(details.rules)) return undefined;
  return `overlaps with rule ${Number(details.rules[0]) + 1} and does something else, but neither is more specific. Make one more specific, or remove it`;
};
