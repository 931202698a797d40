import { type ApiError, invalid, invalidIn, throwInvalid } from '../contract/errors.ts';
import { transformRulesMaxBytes } from '../contract/limits.ts';
import type { TransformRule } from '../contract/models/transform.ts';
import { canOverlap, parseCollectionPath, parseFieldPath, RulePathError, type RuleSegment, specificityOf } from './rule-path.ts';

/** A rule with its parsed paths. */
export interface CompiledRule {
  /** Position in the request. */
  readonly index: number;
  readonly rule: TransformRule;
  readonly collection: readonly RuleSegment[];
  readonly field: readonly RuleSegment[];
  /** The field path counts first, then the collection path. */
  readonly specificity: readonly number[];
}

const atRule = (index: number): string => `options.transform.rules.${index}`;

/** Throws a VALIDATION_ERROR that names the rules with invalid paths, or two rules of which neither is more specific. */
export const compileRules = (rules: readonly TransformRule[]): readonly CompiledRule[] => {
  if (Buffer.byteLength(JSON.stringify(rules)) > transformRulesMaxBytes)
    throw invalid('options.transform.rules', `must have at most ${transformRulesMaxBytes} bytes as JSON`);
  const problems: (ApiError | undefined)[] = [];
  const compiled = rules.flatMap((rule, index): CompiledRule[] => {
    let [collection, field]: (readonly RuleSegment[])[] = [];
    problems.push(invalidIn(() => (collection = parse(parseCollectionPath, rule.collection, `${atRule(index)}.collection`))));
    problems.push(invalidIn(() => (field = parse(parseFieldPath, rule.field, `${atRule(index)}.field`))));
    if (!collection || !field) return [];
    const specificity = [...specificityOf(field), ...specificityOf(collection)];
    return [{ index, rule, collection, field: withoutTail(field), specificity }];
  });
  throwInvalid(problems);
  assertUnambiguous(compiled);
  return compiled;
};

/** A rule covers what is below its field anyway, so `**` at the end finds the same as `*`. */
const withoutTail = (field: readonly RuleSegment[]): readonly RuleSegment[] =>
  field.at(-1)?.kind === 'deep' ? [...field.slice(0, -1), { kind: 'any' }] : field;

const parse = (parsed: (path: string) => readonly RuleSegment[], path: string, field: string): readonly RuleSegment[] => {
  try {
    return parsed(path);
  } catch (error) {
    throw error instanceof RulePathError ? invalid(field, error.message) : error;
  }
};

/** Negative if `a` wins: the more specific rule; of equal ones the first. */
export const compareRules = (a: CompiledRule, b: CompiledRule): number => {
  for (const [n, value] of a.specificity.entries()) {
    const difference = (b.specificity[n] ?? 0) - value;
    if (difference !== 0) return difference;
  }
  return a.index - b.index;
};

/** Two rules of equal specificity may overlap only if they do the same. */
const assertUnambiguous = (rules: readonly CompiledRule[]): void => {
  // Map.groupBy is missing in Node 20, on which the command line runs.
  const groups = new Map<string, CompiledRule[]>();
  for (const rule of rules) {
    const key = rule.specificity.join();
    groups.set(key, [...(groups.get(key) ?? []), rule]);
  }
  for (const group of groups.values())
    for (const [n, a] of group.entries())
      for (const b of group.slice(n + 1)) {
        if (!isSameAction(a.rule, b.rule) && overlap(a, b)) throw ambiguous(a, b);
      }
};

const isSameAction = (a: TransformRule, b: TransformRule): boolean => a.transform === b.transform && a.type === b.type;

/** A rule covers what is below its field, too. */
const below = { kind: 'deep' } as const;
const overlap = (a: CompiledRule, b: CompiledRule): boolean =>
  canOverlap(a.collection, b.collection) && canOverlap([...a.field, below], [...b.field, below]);

const ambiguous = (a: CompiledRule, b: CompiledRule): ApiError =>
  invalid(
    atRule(b.index),
    `overlaps with rule ${a.index + 1} (${describeRule(a.rule)}) and neither is more specific, but they do different things: ${describeRule(b.rule)}. Make one more specific, or remove it`,
    { rules: [a.index, b.index], overlapping: [a.rule, b.rule] },
  );

/** A rule in words, such as `fake email for email in users`. */
export const describeRule = ({ collection, field, transform, type }: TransformRule): string =>
  `${transform}${type === undefined ? '' : ` ${type}`} for ${field} in ${collection}`;
