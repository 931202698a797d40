/** Event filtering of Lambda's event source mappings: which records reach the function at all. */

/** `criteria` is the mapping's FilterCriteria. A record passes if any of its patterns matches; without patterns all pass. */
export const filterOf = (criteria: unknown): ((record: unknown) => boolean) => {
  const { Filters = [] } = (criteria ?? {}) as { Filters?: readonly { readonly Pattern: string }[] };
  const patterns = Filters.map(({ Pattern }) => JSON.parse(Pattern) as Pattern);
  return (record) => patterns.length === 0 || patterns.some((pattern) => matches(pattern, record));
};

/** Names lead to further names or to a list of which one must hold. */
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
  // Letting a record pass that AWS would filter, or the other way round, would hide a fault of the template.
  if (!test) throw new Error(`the filter operator ${operator} is not known to the local stage`);
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
