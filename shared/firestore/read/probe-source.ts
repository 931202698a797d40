/** Queries about a source before it is read. */

import type { FirestoreDatabase } from '../firestore-database.ts';
import { isRefusal } from '../grpc/classify-error.ts';
import { SourceError } from '../grpc/source-error.ts';
import { listCollectionIds, partitionQuery, probeDocument } from '../wire/query-requests.ts';
import { fieldsOf, lastField } from '../wire/small-messages.ts';
import { decodeReadTime } from '../wire/timestamps.ts';

/** Costs one read, whether the document exists or not. */
const probePath = 'probe/read-time';

/**
 * The current time of the source, used as read time. Fails like a read: revoked grant, missing database or missing permission.
 */
export const probeSource = async (source: FirestoreDatabase, signal?: AbortSignal): Promise<{ readonly readTime: string }> => {
  const messages = await source.call('BatchGetDocuments', probeDocument(source.database, probePath), signal);
  const readTime = messages.map((message) => lastField(message, 4)).findLast((field) => field !== undefined);
  if (!readTime) throw new SourceError('INTERNAL_ERROR', 'The source did not return a read time.');
  return { readTime: decodeReadTime(readTime.bytes) };
};

/** Ids of the collections directly below the root or a document that had documents at any depth. */
export const listCollections = async (
  source: FirestoreDatabase,
  { parent, readTime, signal }: { readonly parent: string; readonly readTime: string; readonly signal?: AbortSignal | undefined },
): Promise<readonly string[]> => {
  const request = (pageToken: string): Buffer => listCollectionIds(parent, readTime, pageToken);
  const ids: string[] = [];
  for await (const page of pagesOf(source, { method: 'ListCollectionIds', request, signal })) ids.push(...page.map(String));
  return ids;
};

/**
 * Names that split a collection group, or all collections, into parts of similar size. May be fewer than requested and in any
 * order; empty if the source does not support it.
 */
export const splitPoints = async (
  source: FirestoreDatabase,
  { collectionId, points, readTime, signal }: SplitOptions,
): Promise<readonly string[]> => {
  const { root } = source;
  const request = (pageToken: string): Buffer => partitionQuery({ root, readTime }, { collectionId, points, pageToken });
  const names: string[] = [];
  try {
    for await (const page of pagesOf(source, { method: 'PartitionQuery', request, signal })) {
      names.push(...page.flatMap(namesIn));
      if (names.length >= points) break;
    }
  } catch (error) {
    // Splitting is optional: without it the read is a single, slower range.
    if (!isRefusal(error) && !(error instanceof SourceError && error.isTransient)) throw error;
  }
  const prefix = `${root}/`;
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
};

interface SplitOptions {
  readonly collectionId: string | undefined;
  readonly points: number;
  readonly readTime: string;
  readonly signal?: AbortSignal | undefined;
}

/** The results of each page; both methods have them in field 1 and the next page's token in field 2. */
async function* pagesOf(
  source: FirestoreDatabase,
  {
    method,
    request,
    signal,
  }: { readonly method: string; readonly request: (pageToken: string) => Buffer; readonly signal: AbortSignal | undefined },
): AsyncGenerator<readonly Buffer[]> {
  let pageToken = '';
  do {
    const [message = Buffer.alloc(0)] = await source.call(method, request(pageToken), signal);
    const fields = [...fieldsOf(message)];
    yield fields.filter(({ field }) => field === 1).map(({ bytes }) => bytes);
    pageToken = fields.findLast(({ field }) => field === 2)?.bytes.toString() ?? '';
  } while (pageToken !== '');
}

/** Cursor { values { reference_value } } */
const namesIn = (cursor: Buffer): readonly string[] => {
  const value = lastField(cursor, 1);
  const name = value && lastField(value.bytes, 5);
  return name ? [name.bytes.toString()] : [];
};
