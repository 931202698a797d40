import type { FirestoreDatabase } from '../firestore-database.ts';
import { isRefusal } from '../grpc/classify-error.ts';
import { SourceError } from '../grpc/source-error.ts';
import type { NameRange } from '../names/name-range.ts';
import { collectionCountQuery, countQuery, type Selection } from '../wire/query-requests.ts';
import { fieldsOf, lastField } from '../wire/small-messages.ts';

interface CountOptions extends Pick<Selection, 'range' | 'after'> {
  readonly readTime: string;
  /** Ids of the collections that were found, for a source that only counts single collection groups. */
  readonly collectionIds?: Iterable<string>;
  readonly signal?: AbortSignal | undefined;
}

export interface Counted {
  /** Undefined if the source does not support the count. */
  readonly documents: number | undefined;
  /** Billed reads. */
  readonly reads: number;
}

/** Each group is a round trip; beyond this many, counting is not worth it. */
const groupsMax = 200;

/** Counts the documents of a range by aggregation query: all collections at once, otherwise group by group. */
export const countRange = async (source: FirestoreDatabase, options: CountOptions): Promise<Counted> => {
  const whole = await count(source, options, undefined);
  if (whole !== undefined) return { documents: whole, reads: source.billing.count(whole) };
  const groups = [...new Set(options.collectionIds ?? [])];
  if (groups.length === 0 || groups.length > groupsMax) return { documents: undefined, reads: 0 };
  let documents = 0;
  let reads = 0;
  for (const group of groups) {
    const counted = await count(source, options, group);
    if (counted === undefined) return { documents: undefined, reads };
    documents += counted;
    reads += source.billing.count(counted);
  }
  return { documents, reads };
};

/**
 * Throws COUNT_MISMATCH unless the count of the source equals the documents read: a stream may end early without an error.
 * `countVerified` is false only if the source does not support counts.
 */
export const verifyCount = async (
  source: FirestoreDatabase,
  options: CountOptions & { readonly read: number },
): Promise<{ readonly countVerified: boolean; readonly reads: number }> => {
  const { documents, reads } = await countRange(source, options);
  if (documents !== undefined && documents !== options.read)
    throw new SourceError('COUNT_MISMATCH', `The source counts ${documents} documents, but ${options.read} were read.`);
  return { countVerified: documents !== undefined, reads };
};

/** The number of documents directly in a root collection; undefined if the source does not support the count. */
export const countRootCollection = (
  source: FirestoreDatabase,
  {
    collectionId,
    readTime,
    signal,
  }: { readonly collectionId: string; readonly readTime: string; readonly signal?: AbortSignal | undefined },
): Promise<number | undefined> => runCount(source, collectionCountQuery({ root: source.root, readTime }, collectionId), signal);

/** Counts a collection group, all collections with that id, or its documents in a range of names. */
export const countGroup = async (
  source: FirestoreDatabase,
  {
    collectionId,
    readTime,
    signal,
    range = {},
  }: {
    readonly collectionId: string;
    readonly readTime: string;
    readonly signal?: AbortSignal | undefined;
    readonly range?: NameRange | undefined;
  },
): Promise<Counted> => {
  const documents = await count(source, { range, readTime, signal }, collectionId);
  return { documents, reads: documents === undefined ? 0 : source.billing.count(documents) };
};

const count = (source: FirestoreDatabase, options: CountOptions, group: string | undefined): Promise<number | undefined> => {
  const { range, after, readTime, signal } = options;
  const selection = { range, after, ...(group === undefined ? {} : { collectionId: group }) };
  return runCount(source, countQuery({ root: source.root, readTime }, selection), signal);
};

/** Undefined if the source does not support this count. */
const runCount = async (
  source: FirestoreDatabase,
  request: Buffer,
  signal: AbortSignal | undefined,
): Promise<number | undefined> => {
  try {
    const messages = await source.call('RunAggregationQuery', request, signal);
    const found = messages.map(countIn).findLast((one) => one !== undefined);
    if (found === undefined) throw new SourceError('INTERNAL_ERROR', 'The source returned a count without a value.');
    return found;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
};

/** RunAggregationQueryResponse { result { aggregate_fields { key, value { integer_value } } } } with one field. */
const countIn = (message: Buffer): number | undefined => {
  const result = lastField(message, 1)?.bytes;
  if (!result) return undefined;
  for (const { field, bytes } of fieldsOf(result)) {
    if (field !== 2) continue;
    const value = lastField(bytes, 2);
    // Zero may be omitted.
    return value && (lastField(value.bytes, 2)?.value ?? 0);
  }
  return undefined;
};
