import type { DocumentName } from '../name.ts';
import { type PathKey, RpcError } from '../parts.ts';
import { below, childKey, depth } from '../path-key.ts';
import type { Cursor, StructuredQuery } from '../query-messages.ts';
import { readValue, type Value } from '../value.ts';
import { fieldRef } from './field.ts';
import { type FilterTree, type Predicate, parseFilter, predicate } from './filter.ts';
import { nameRange } from './name-range.ts';
import { normalizeOrders, type Order } from './order.ts';
import { checkCombination } from './rules.ts';

export interface Bound {
  readonly values: readonly Value[];
  /** For a start: include what equals it. For an end: leave out what equals it. */
  readonly before: boolean;
}

/** A query, checked and normalized: what to walk, what to keep, how to order it. */
export interface Plan {
  /** Every result lies in from ≤ key < to. */
  readonly from: PathKey;
  readonly to: PathKey;
  /** Whether a document of the range belongs to the collections asked for. Undefined: all do. */
  readonly isMember: ((key: PathKey) => boolean) | undefined;
  /** What the range does not say already. */
  readonly filter: Predicate | undefined;
  readonly orders: readonly Order[];
  readonly start: Bound | undefined;
  readonly end: Bound | undefined;
  readonly offset: number;
  readonly limit: number | undefined;
  /** Field paths to return; undefined returns all. `__name__` is no field: alone it asks for none. */
  readonly select: readonly (readonly string[])[] | undefined;
}

export const planQuery = (parent: DocumentName, databaseName: string, query: StructuredQuery): Plan => {
  if (query.findNearest) throw new RpcError('UNIMPLEMENTED', 'Vector search (find_nearest) is not supported by this server.');
  if (query.offset < 0) throw new RpcError('INVALID_ARGUMENT', 'offset is negative');
  if (query.limit && query.limit.value < 0) throw new RpcError('INVALID_ARGUMENT', 'limit is negative');
  const collection = collectionRange(parent.key, query);
  const tree: FilterTree | undefined = query.where && parseFilter(query.where, databaseName);
  if (tree) checkCombination(tree);
  const orders = normalizeOrders(query.orderBy, tree, databaseName);
  const start = bound(query.startAt, orders);
  const end = bound(query.endAt, orders);
  const range = nameRange(collection, tree, orders, start, end, databaseName);
  return {
    from: range.from,
    to: range.to,
    isMember: collection.isMember,
    filter: range.filter && predicate(range.filter),
    orders,
    start,
    end,
    offset: query.offset,
    limit: query.limit?.value,
    select:
      query.select && query.select.fields.length > 0
        ? query.select.fields.map((field) => fieldRef(field, databaseName).path)
        : undefined,
  };
};

const bound = (cursor: Cursor | undefined, orders: readonly Order[]): Bound | undefined => {
  if (!cursor || cursor.values.length === 0) return undefined;
  if (cursor.values.length > orders.length) throw new RpcError('INVALID_ARGUMENT', 'Cursor has too many values.');
  const values = cursor.values.map((value) => readValue(value));
  for (const [i, value] of values.entries()) {
    if (orders[i]?.field.isName && value.kind !== 'reference') {
      throw new RpcError('INVALID_ARGUMENT', 'Cursor value for __name__ must be a document reference.');
    }
  }
  return { values, before: cursor.before };
};

interface CollectionRange {
  readonly from: PathKey;
  readonly to: PathKey;
  readonly isMember: ((key: PathKey) => boolean) | undefined;
}

/** The keys a collection selector can reach. Without a collection id it is kindless: documents of every collection. */
const collectionRange = (parent: PathKey, { from }: StructuredQuery): CollectionRange => {
  if (from.length > 1)
    throw new RpcError('INVALID_ARGUMENT', 'StructuredQuery.from cannot have more than one collection selector.');
  const { collectionId, allDescendants } = from[0] ?? { collectionId: '', allDescendants: false };
  const direct = depth(parent) + 2;
  if (collectionId.includes('/'))
    throw new RpcError('INVALID_ARGUMENT', `Collection id "${collectionId}" is invalid because it contains "/".`);
  if (collectionId === '') return { ...below(parent), isMember: allDescendants ? undefined : (key) => depth(key) === direct };
  if (allDescendants) return { ...below(parent), isMember: isInGroup(collectionId) };
  return { ...below(childKey(parent, collectionId)), isMember: (key) => depth(key) === direct };
};

const separator = '\x00';

/** Whether the last segment but one of a key is the collection id. */
const isInGroup = (collectionId: string): ((key: PathKey) => boolean) => {
  const id = childKey('', collectionId);
  return (key) => {
    const end = key.lastIndexOf(separator);
    const start = end - id.length;
    return start >= 0 && key.startsWith(id, start) && (start === 0 || key[start - 1] === separator);
  };
};

/** A document's place against a bound: below 0 before it, above 0 after it, by the orders the bound speaks of. */
export const placeAgainst = (
  tuple: readonly Value[],
  { values }: Bound,
  orders: readonly Order[],
  compare: (a: Value, b: Value) => number,
): number => {
  for (const [i, value] of values.entries()) {
    const own = tuple[i];
    const order = orders[i];
    if (!own || !order) return 0;
    const place = compare(own, value);
    if (place !== 0) return order.descending ? -place : place;
  }
  return 0;
};
