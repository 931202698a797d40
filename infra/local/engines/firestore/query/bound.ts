import { compareValues } from '../value/compare-values.ts';
import type { Value } from '../value/value.ts';
import type { Order } from './order.ts';

export interface Bound {
  readonly values: readonly Value[];
  /** A start includes equal documents; an end excludes them. */
  readonly before: boolean;
}

/** Negative: the document sorts before the bound. Positive: after it. Only the orders the bound has values for count. */
export const compareToBound = (tuple: readonly Value[], { values }: Bound, orders: readonly Order[]): number => {
  for (const [i, value] of values.entries()) {
    const own = tuple[i];
    const order = orders[i];
    if (!own || !order) return 0;
    const result = compareValues(own, value);
    if (result !== 0) return order.descending ? -result : result;
  }
  return 0;
};
