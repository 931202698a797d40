import { RpcError } from '../base/types.ts';
import type { Order as OrderMessage } from '../proto/query-messages.ts';
import { compareText } from '../value/compare-values.ts';
import { type FieldRef, fieldRef, nameField } from './field-access.ts';
import { comparisonsOf, type FilterTree, isInequality } from './filter.ts';

export interface Order {
  readonly field: FieldRef;
  readonly descending: boolean;
}

/**
 * The complete order of a query: the requested orders, then inequality fields that are missing, by name, then aggregated fields,
 * then the document's name. Added orders have the direction of the last requested one.
 */
export const normalizeOrders = (
  asked: readonly OrderMessage[],
  {
    filter,
    databaseName,
    aggregated = [],
  }: {
    readonly filter: FilterTree | undefined;
    readonly databaseName: string;
    readonly aggregated?: readonly FieldRef[];
  },
): readonly Order[] => {
  const orders: Order[] = asked.map(({ field, direction }) => ({
    field: fieldRef(field, databaseName),
    descending: direction === 'DESCENDING',
  }));
  const texts = new Set<string>();
  for (const { field } of orders) {
    if (texts.has(field.text))
      throw new RpcError('INVALID_ARGUMENT', `order by clause cannot contain duplicate fields ${field.path.join('.')}`);
    texts.add(field.text);
  }
  const descending = orders.at(-1)?.descending ?? false;
  const missing = new Map<string, FieldRef>();
  for (const comparison of filter ? comparisonsOf(filter) : []) {
    const { field } = comparison;
    if (isInequality(comparison) && !field.isName && !texts.has(field.text)) missing.set(field.text, field);
  }
  const implied = [...missing.values()].sort((a, b) => compareText(a.path.join('.'), b.path.join('.')));
  for (const field of [...implied, ...aggregated]) {
    if (orders.some((order) => order.field.text === field.text)) continue;
    orders.push({ field, descending });
  }
  // Orders after the name have no effect.
  const name = orders.findIndex(({ field }) => field.isName);
  return name >= 0 ? orders : [...orders, { field: nameField(databaseName), descending }];
};

export const isByName = (orders: readonly Order[]): boolean => orders[0]?.field.isName === true;
