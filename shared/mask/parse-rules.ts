import * as z from 'zod/mini';
import { Transform, type TransformRule } from '../contract/models/transform.ts';
import { RuleSet } from './rule-set.ts';

export interface ParsedRules {
  readonly rules: readonly TransformRule[];
  readonly set: RuleSet;
  /** Whether rules may find no field. */
  readonly allowUnmatched: boolean;
}

/** Reads the rules of a file, as a request has them: `{rules, allowUnmatched}` or the list alone. Throws an Error that names the rule. */
export const parseRules = (json: unknown): ParsedRules => {
  const parsed = z.safeParse(Transform, json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.join('.') || 'rules'}: ${issue?.message}`, { cause: parsed.error });
  }
  const { rules, allowUnmatched } = parsed.data;
  try {
    return { rules, set: new RuleSet(rules), allowUnmatched };
  } catch (error) {
    throw new Error((error as Error).message.replaceAll('options.transform.', ''), { cause: error });
  }
};
