import { ApiFailure } from '../../../../../../shared/client/index.ts';
import type { MaskRule } from '../../../parts/mask/mask-rules.ts';

export interface NumberedRule {
  /** As the mask step counts. */
  readonly number: number;
  readonly rule: MaskRule;
}

/** The rules that an error says match nothing, of a request or of the job that plans; undefined for any other error. */
export const findUnmatched = (error: unknown, rules: readonly MaskRule[]): readonly NumberedRule[] | undefined => {
  const { details } = (error instanceof ApiFailure ? error : ((error as Error | null)?.cause ?? {})) as Pick<
    ApiFailure,
    'details'
  >;
  const named = details?.unmatchedRules;
  if (!Array.isArray(named)) return undefined;
  const isNamed = (rule: MaskRule): boolean =>
    (named as MaskRule[]).some((other) => keys.every((key) => other[key] === rule[key]));
  const found = rules.flatMap((rule, index) => (isNamed(rule) ? [{ number: index + 1, rule }] : []));
  return found.length > 0 ? found : undefined;
};

const keys = ['collection', 'field', 'transform', 'type'] as const;
