import { limits } from '../base/limits.ts';
import { RpcError } from '../base/types.ts';
import { comparisonsOf, type FilterTree, isInequality } from './filter.ts';

const disjunctionsMax = 30;

const excluding = new Set<string>(['NOT_EQUAL', 'NOT_IN', 'IS_NOT_NULL', 'IS_NOT_NAN']);

/** The service's rules for combining comparisons. */
export const checkQueryRules = (tree: FilterTree): void => {
  const comparisons = comparisonsOf(tree);
  if (comparisons.filter(({ operator }) => excluding.has(operator)).length > 1)
    throw new RpcError(
      'INVALID_ARGUMENT',
      "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.",
    );
  if (comparisons.some(({ operator }) => operator === 'NOT_IN') && isDisjunctive(tree))
    throw new RpcError('INVALID_ARGUMENT', "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.");
  if (arrayTestsAtOnce(tree) > 1) {
    throw new RpcError('INVALID_ARGUMENT', "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction.");
  }
  const unequal = new Set(comparisons.filter(isInequality).map(({ field }) => field.text));
  if (unequal.size > limits.inequalityFields)
    throw new RpcError(
      'INVALID_ARGUMENT',
      `Too many fields with inequality filters. The maximum number of fields is ${limits.inequalityFields}, got ${unequal.size}.`,
    );
  const disjunctions = countDisjunctions(tree);
  if (disjunctions > disjunctionsMax) {
    throw new RpcError(
      'INVALID_ARGUMENT',
      `Too many disjunctions after normalization. The maximum number of disjunctions is ${disjunctionsMax}, got ${disjunctions}.`,
    );
  }
};

const isDisjunctive = (tree: FilterTree): boolean =>
  tree.kind === 'comparison'
    ? tree.comparison.operator === 'IN' || tree.comparison.operator === 'ARRAY_CONTAINS_ANY'
    : tree.kind === 'or' || tree.parts.some(isDisjunctive);

/** The number of conjunctions in disjunctive normal form. */
const countDisjunctions = (tree: FilterTree): number => {
  if (tree.kind === 'or') return tree.parts.reduce((sum, part) => sum + countDisjunctions(part), 0);
  if (tree.kind === 'and') return tree.parts.reduce((product, part) => product * countDisjunctions(part), 1);
  const { operator, value } = tree.comparison;
  return (operator === 'IN' || operator === 'ARRAY_CONTAINS_ANY') && value.kind === 'array' ? value.values.length : 1;
};

/** The most array tests within one conjunction; array-contains-any is a disjunction of array-contains. */
const arrayTestsAtOnce = (tree: FilterTree): number => {
  if (tree.kind === 'comparison') return tree.comparison.operator.startsWith('ARRAY_CONTAINS') ? 1 : 0;
  const counts = tree.parts.map(arrayTestsAtOnce);
  return tree.kind === 'and' ? counts.reduce((sum, count) => sum + count, 0) : Math.max(0, ...counts);
};
