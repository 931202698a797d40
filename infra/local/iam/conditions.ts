/** The Condition block of a statement: all operators and keys must match. */
import { matchesPattern, PolicyError } from './patterns.ts';

type Condition = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
type Keys = Readonly<Record<string, readonly string[]>>;

export const conditionsHold = (condition: Condition, keys: Keys): boolean => {
  const given = new Map(Object.entries(keys).map(([name, values]) => [name.toLowerCase(), values]));
  return Object.entries(condition).every(([operator, tests]) =>
    Object.entries(tests).every(([key, wanted]) => {
      if (!given.has(key.toLowerCase()) && !knownKeys.some((pattern) => matchesPattern(pattern, key.toLowerCase())))
        throw new PolicyError(`the local stage does not support the condition key ${key}`);
      return holdsOne(operator, [wanted].flat().map(String), given.get(key.toLowerCase()));
    }),
  );
};

// An unknown key would count as absent, and an absent key often passes.
const knownKeys = [
  'aws:resourceaccount',
  'aws:securetransport',
  'aws:sourceaccount',
  'aws:sourcearn',
  'dynamodb:leadingkeys',
  'dynamodb:enclosingoperation',
  'iam:passedtoservice',
  'kms:encryptioncontext:*',
  'kms:encryptioncontextkeys',
  'kms:viaservice',
  'ses:fromaddress',
  'ses:recipients',
  'sts:externalid',
];

/** Whether a value of the call matches a value of the policy. */
type Test = (given: string, wanted: string) => boolean;

const tests: Readonly<Record<string, Test>> = {
  StringEquals: (given, wanted) => given === wanted,
  StringEqualsIgnoreCase: (given, wanted) => given.toLowerCase() === wanted.toLowerCase(),
  StringLike: (given, wanted) => matchesPattern(wanted, given),
  ArnEquals: (given, wanted) => matchesPattern(wanted, given),
  ArnLike: (given, wanted) => matchesPattern(wanted, given),
  Bool: (given, wanted) => given.toLowerCase() === wanted.toLowerCase(),
  NumericEquals: (given, wanted) => Number(given) === Number(wanted),
  NumericLessThan: (given, wanted) => Number(given) < Number(wanted),
  NumericLessThanEquals: (given, wanted) => Number(given) <= Number(wanted),
  NumericGreaterThan: (given, wanted) => Number(given) > Number(wanted),
  NumericGreaterThanEquals: (given, wanted) => Number(given) >= Number(wanted),
};

const negations: Readonly<Record<string, string>> = {
  StringNotEquals: 'StringEquals',
  StringNotEqualsIgnoreCase: 'StringEqualsIgnoreCase',
  StringNotLike: 'StringLike',
  ArnNotEquals: 'ArnEquals',
  ArnNotLike: 'ArnLike',
  NumericNotEquals: 'NumericEquals',
};

const holdsOne = (operator: string, wanted: readonly string[], given: readonly string[] | undefined): boolean => {
  const present = given !== undefined && given.length > 0;
  if (operator === 'Null') return wanted.some((value) => (value === 'true') !== present);
  const [, set, name = '', ifExists] = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(operator) ?? [];
  const negated = negations[name];
  const test = tests[negated ?? name];
  if (!test) throw new PolicyError(`the local stage does not support the condition operator ${operator}`);
  const meets = (value: string): boolean => wanted.some((want) => test(value, want)) !== (negated !== undefined);
  // AWS: an absent key fails a positive test and ForAnyValue, and passes a negated test, IfExists and ForAllValues.
  if (!present) return set === 'ForAllValues' || (set === undefined && (ifExists !== undefined || negated !== undefined));
  return set === 'ForAnyValue' ? given.some(meets) : given.every(meets);
};
