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
  parent: string,
  readTime: string,
  signal?: AbortSignal,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  let pageToken = '';
  do {
    const [message = empty] = await source.call('ListCollectionIds', listCollectionIds(parent, readTime, pageToken), signal);
    pageToken = '';
    for (const { field, bytes } of fieldsOf(message)) {
      if (field === 1) ids.push(bytes.toString());
      else if (field === 2) pageToken = bytes.toString();
    }
  } while (pageToken !== '');
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
  const names: string[] = [];
  let pageToken = '';
  try {
    do {
      const request = partitionQuery({ root: source.root, readTime }, collectionId, points, pageToken);
      const [message = empty] = await source.call('PartitionQuery', request, signal);
      pageToken = '';
      for (const { field, bytes } of fieldsOf(message)) {
        if (field === 1) names.push(...namesIn(bytes));
        else if (field === 2) pageToken = bytes.toString();
      }
    } while (pageToken !== '' && names.length < points);
  } catch (error) {
    // Splitting is optional: without it the read is a single, slower range.
    if (!isRefusal(error) && !(error instanceof SourceError && error.isTransient)) throw error;
  }
  const prefix = `${source.root}/`;
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
};

interface SplitOptions {
  readonly collectionId: string | undefined;
  readonly points: number;
  readonly readTime: string;
  readonly signal?: AbortSignal | undefined;
}

const empty = Buffer.alloc(0);

/** Cursor { values { reference_value } } */
const namesIn = (cursor: Buffer): readonly string[] => {
  const value = lastField(cursor, 1);
  const name = value && lastField(value.bytes, 5);
  return name ? [name.bytes.toString()] : [];
};
