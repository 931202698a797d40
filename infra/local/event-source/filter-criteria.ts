/** Event filtering of Lambda event source mappings. */

/** `criteria` is the mapping's FilterCriteria. A record passes if any pattern matches, or if there are no patterns. */
export const compileFilterCriteria = (criteria: unknown): ((record: unknown) => boolean) => {
  const { Filters = [] } = (criteria ?? {}) as { Filters?: readonly { readonly Pattern: string }[] };
  const patterns = Filters.map(({ Pattern }) => JSON.parse(Pattern) as Pattern);
  return (record) => patterns.length === 0 || patterns.some((pattern) => matches(pattern, record));
};

/** A name leads to nested names or to a list of rules, one of which must match. */
type Pattern = { readonly [name: string]: Pattern | readonly Rule[] };
type Rule = string | number | boolean | null | Readonly<Record<string, unknown>>;

const matches = (pattern: Pattern, value: unknown): boolean =>
  Object.entries(pattern).every(([name, expected]) => {
    const actual = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
    return Array.isArray(expected)
      ? (expected as readonly Rule[]).some((rule) => holds(rule, actual))
      : matches(expected as Pattern, actual);
  });

const holds = (rule: Rule, actual: unknown): boolean => {
  if (typeof rule !== 'object' || rule === null) return actual === rule;
  const [[operator, operand] = ['', undefined]] = Object.entries(rule);
  const test = operators[operator];
  // Guessing would hide a fault of the template.
  if (!test) throw new Error(`the local stage does not support the filter operator ${operator}`);
  return test(operand, actual);
};

const operators: Readonly<Record<string, (operand: unknown, actual: unknown) => boolean>> = {
  prefix: (operand, actual) => typeof actual === 'string' && actual.startsWith(String(operand)),
  suffix: (operand, actual) => typeof actual === 'string' && actual.endsWith(String(operand)),
  exists: (operand, actual) => (actual !== undefined) === operand,
  'equals-ignore-case': (operand, actual) => typeof actual === 'string' && actual.toLowerCase() === String(operand).toLowerCase(),
  'anything-but': (operand, actual) =>
    actual !== undefined && !(Array.isArray(operand) ? operand : [operand]).some((refused) => refused === actual),
};
