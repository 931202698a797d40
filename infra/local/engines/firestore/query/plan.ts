import { checkCollectionId, type DocumentName } from '../base/document-name.ts';
import { below, childKey, depth } from '../base/path-key.ts';
import { type PathKey, RpcError } from '../base/types.ts';
import type { Cursor, StructuredQuery } from '../proto/query-messages.ts';
import { readValue } from '../value/value.ts';
import type { Bound } from './bound.ts';
import { type FieldRef, fieldRef } from './field-access.ts';
import { type FilterTree, type Predicate, parseFilter, predicate } from './filter.ts';
import { type Nearest, readNearest } from './find-nearest.ts';
import { nameRange, referenceKey } from './name-range.ts';
import { normalizeOrders, type Order } from './order.ts';
import { checkCombination } from './query-rules.ts';

/** A query, checked and normalized: what to walk, what to keep, how to order it. */
export interface Plan {
  /** Every result lies in from ≤ key < to. */
  readonly from: PathKey;
  readonly to: PathKey;
  /** Whether a document of the range belongs to the collections asked for. Undefined: all do. */
  readonly isMember: ((key: PathKey) => boolean) | undefined;
  /** What the range does not say already. */
  readonly filter: Predicate | undefined;
  /** All the query says of its documents. */
  readonly filterTree: FilterTree | undefined;
  readonly orders: readonly Order[];
  readonly start: Bound | undefined;
  readonly end: Bound | undefined;
  readonly offset: number;
  readonly limit: number | undefined;
  readonly nearest: Nearest | undefined;
  /** Field paths to return; undefined returns all. `__name__` is no field: alone it asks for none, as an empty list does. */
  readonly select: readonly (readonly string[])[] | undefined;
}

/** Checks a query. `aggregated` are the fields summed or averaged over its results. */
export const planQuery = (
  parent: DocumentName,
  databaseName: string,
  query: StructuredQuery,
  aggregated: readonly FieldRef[] = [],
): Plan => {
  if (query.offset < 0) throw new RpcError('INVALID_ARGUMENT', 'offset is negative');
  if (query.limit && query.limit.value < 0) throw new RpcError('INVALID_ARGUMENT', 'limit is negative');
  const collection = collectionRange(parent.key, query);
  const tree: FilterTree | undefined = query.where && parseFilter(query.where, databaseName);
  if (tree) checkCombination(tree);
  const orders = normalizeOrders(query.orderBy, tree, databaseName, isCut(query) ? aggregated : []);
  const start = bound(query.startAt, orders, databaseName);
  const end = bound(query.endAt, orders, databaseName);
  const range = nameRange(collection, tree, orders, start, end, databaseName);
  return {
    from: range.from,
    to: range.to,
    isMember: collection.isMember,
    filter: range.filter && predicate(range.filter),
    filterTree: tree,
    orders,
    start,
    end,
    offset: query.offset,
    limit: query.limit?.value,
    nearest: query.findNearest && readNearest(query.findNearest, databaseName),
    select: query.select?.fields.map((field) => fieldRef(field, databaseName).path),
  };
};

/** Whether it matters to an aggregation which documents come first. A cursor that speaks of the name leaves no room for more. */
const isCut = ({ limit, offset, orderBy, startAt, endAt }: StructuredQuery): boolean =>
  (limit !== undefined || offset > 0) && [startAt, endAt].every((cursor) => (cursor?.values.length ?? 0) <= orderBy.length);

const bound = (cursor: Cursor | undefined, orders: readonly Order[], databaseName: string): Bound | undefined => {
  if (!cursor || cursor.values.length === 0) return undefined;
  if (cursor.values.length > orders.length) throw new RpcError('INVALID_ARGUMENT', 'Cursor has too many values.');
  const values = cursor.values.map((value) => readValue(value));
  for (const [i, value] of values.entries()) {
    if (!orders[i]?.field.isName) continue;
    if (value.kind !== 'reference')
      throw new RpcError('INVALID_ARGUMENT', 'Cursor value for __name__ must be a document reference.');
    if (referenceKey(value.value, databaseName) === undefined)
      throw new RpcError('INVALID_ARGUMENT', 'The cursor key is in a different database than the query');
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
  const { collectionId, allDescendants } = from[0] ?? { collectionId: '', allDescendants: true };
  const direct = depth(parent) + 2;
  if (collectionId !== '') checkCollectionId(collectionId);
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
