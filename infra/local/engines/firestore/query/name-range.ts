import { nextKey, pathKey } from '../base/path-key.ts';
import type { PathKey } from '../base/types.ts';
import type { Bound } from './bound.ts';
import type { FilterTree } from './filter.ts';
import { isByName, type Order } from './order.ts';

interface Range {
  readonly from: PathKey;
  readonly to: PathKey;
}

interface Conditions {
  readonly filter: FilterTree | undefined;
  readonly orders: readonly Order[];
  readonly start: Bound | undefined;
  readonly end: Bound | undefined;
}

/** The key of a reference to a document of this database. */
export const referenceKey = (reference: string, databaseName: string): PathKey | undefined => {
  const prefix = `${databaseName}/documents/`;
  return reference.startsWith(prefix) ? pathKey(reference.slice(prefix.length)) : undefined;
};

/**
 * Narrows a range by the conditions on `__name__`, so that reading a part of a database costs only that part. Removes
 * comparisons from the filter that the range expresses.
 */
export const nameRange = (
  range: Range,
  { filter, orders, start, end }: Conditions,
  databaseName: string,
): Range & { readonly filter: FilterTree | undefined } => {
  let { from, to } = range;
  const atLeast = (key: PathKey | undefined): void => {
    if (key !== undefined && key > from) from = key;
  };
  const below = (key: PathKey | undefined): void => {
    if (key !== undefined && key < to) to = key;
  };
  const after = (key: PathKey | undefined): PathKey | undefined => (key === undefined ? undefined : nextKey(key));

  const conjuncts = !filter ? [] : filter.kind === 'and' ? filter.parts : [filter];
  const rest: FilterTree[] = [];
  for (const part of conjuncts) {
    const key = comparedKey(part, databaseName);
    if (key === undefined || part.kind !== 'comparison') {
      rest.push(part);
      continue;
    }
    const { operator } = part.comparison;
    if (operator === 'GREATER_THAN' || operator === 'GREATER_THAN_OR_EQUAL' || operator === 'EQUAL')
      atLeast(operator === 'GREATER_THAN' ? after(key) : key);
    if (operator === 'LESS_THAN' || operator === 'LESS_THAN_OR_EQUAL' || operator === 'EQUAL')
      below(operator === 'LESS_THAN' ? key : after(key));
  }
  if (isByName(orders)) {
    const keyOf = (bound: Bound | undefined): PathKey | undefined => {
      const value = bound?.values[0];
      return value?.kind === 'reference' ? referenceKey(value.value, databaseName) : undefined;
    };
    const [low, high] = orders[0]?.descending ? [end, start] : [start, end];
    // `before`: a start includes equal documents, an end excludes them. In descending order the two are swapped.
    const includesLow = low && (low === start ? low.before : !low.before);
    const includesHigh = high && (high === start ? high.before : !high.before);
    atLeast(includesLow ? keyOf(low) : after(keyOf(low)));
    below(includesHigh ? after(keyOf(high)) : keyOf(high));
  }
  // Crossing bounds leave an empty range.
  if (to < from) to = from;
  return { from, to, filter: rest.length === 0 ? undefined : { kind: 'and', parts: rest } };
};

const rangeOperators = new Set<string>(['EQUAL', 'LESS_THAN', 'LESS_THAN_OR_EQUAL', 'GREATER_THAN', 'GREATER_THAN_OR_EQUAL']);

/** The key that a filter compares `__name__` with, if a range can express it. */
const comparedKey = (part: FilterTree, databaseName: string): PathKey | undefined => {
  if (part.kind !== 'comparison' || !part.comparison.field.isName || !rangeOperators.has(part.comparison.operator))
    return undefined;
  const { value } = part.comparison;
  return value.kind === 'reference' ? referenceKey(value.value, databaseName) : undefined;
};
