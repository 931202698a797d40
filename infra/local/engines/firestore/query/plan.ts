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
import { checkQueryRules } from './query-rules.ts';

/** A validated and normalized query: range, filter and order. */
export interface Plan {
  /** All results are in from ≤ key < to. */
  readonly from: PathKey;
  readonly to: PathKey;
  /** Whether a document in the range belongs to the selected collections. Undefined: all do. */
  readonly isMember: ((key: PathKey) => boolean) | undefined;
  /** The number of segments of the keys of all members, if it is the same. */
  readonly segments: number | undefined;
  /** The conditions that the range does not express. */
  readonly filter: Predicate | undefined;
  /** All conditions of the query. */
  readonly filterTree: FilterTree | undefined;
  readonly orders: readonly Order[];
  readonly start: Bound | undefined;
  readonly end: Bound | undefined;
  readonly offset: number;
  readonly limit: number | undefined;
  readonly nearest: Nearest | undefined;
  /** Field paths to return; undefined returns all. `__name__` is not a field: alone it selects nothing, like an empty list. */
  readonly select: readonly (readonly string[])[] | undefined;
}

/** Validates a query. `aggregated` are the fields to sum or average. */
export const planQuery = (
  query: StructuredQuery,
  {
    parent,
    databaseName,
    aggregated = [],
  }: { readonly parent: DocumentName; readonly databaseName: string; readonly aggregated?: readonly FieldRef[] },
): Plan => {
  if (query.offset < 0) throw new RpcError('INVALID_ARGUMENT', 'offset is negative');
  if (query.limit && query.limit.value < 0) throw new RpcError('INVALID_ARGUMENT', 'limit is negative');
  const collection = collectionRange(parent.key, query);
  const tree: FilterTree | undefined = query.where && parseFilter(query.where, databaseName);
  if (tree) checkQueryRules(tree);
  const orders = normalizeOrders(query.orderBy, { filter: tree, databaseName, aggregated: isCut(query) ? aggregated : [] });
  const start = bound(query.startAt, orders, databaseName);
  const end = bound(query.endAt, orders, databaseName);
  const range = nameRange(collection, { filter: tree, orders, start, end }, databaseName);
  return {
    from: range.from,
    to: range.to,
    isMember: collection.isMember,
    segments: collection.segments,
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

/** Whether the order of documents matters to an aggregation. A cursor value for the name excludes further orders. */
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
  readonly segments?: number;
}

/** The key range of a collection selector. Without a collection id the query is kindless: documents of all collections. */
const collectionRange = (parent: PathKey, { from }: StructuredQuery): CollectionRange => {
  if (from.length > 1)
    throw new RpcError('INVALID_ARGUMENT', 'StructuredQuery.from cannot have more than one collection selector.');
  const { collectionId, allDescendants } = from[0] ?? { collectionId: '', allDescendants: true };
  const direct = depth(parent) + 2;
  if (collectionId !== '') checkCollectionId(collectionId);
  if (allDescendants) return { ...below(parent), isMember: collectionId === '' ? undefined : isInGroup(collectionId) };
  const range = below(collectionId === '' ? parent : childKey(parent, collectionId));
  return { ...range, segments: direct, isMember: (key) => depth(key) === direct };
};

const separator = '\x00';

/** Whether the next to last segment of a key is the collection id. */
const isInGroup = (collectionId: string): ((key: PathKey) => boolean) => {
  const id = childKey('', collectionId);
  return (key) => {
    const end = key.lastIndexOf(separator);
    const start = end - id.length;
    return start >= 0 && key.startsWith(id, start) && (start === 0 || key[start - 1] === separator);
  };
};
