/** Encodes requests of google.firestore.v1.Listen with the field numbers of its protos. */

import { integer, message, textField } from '../wire/small-messages.ts';
import { encodeReadTime } from '../wire/timestamps.ts';

/** A collection group: every document whose collection has this id, at any depth. */
export interface ListenTarget {
  readonly id: number;
  readonly collectionId: string;
  /** Resumes from this token; without one, starts after the read time. */
  readonly resumeToken: Buffer | undefined;
  readonly readTime: string;
}

export const addTarget = (database: string, target: ListenTarget): Buffer =>
  Buffer.concat([textField(1, database), message(2, query(database, target), resume(target), integer(5, target.id))]);

/** A document by full name, whether it exists or not. */
export const addDocument = (database: string, name: string, id: number): Buffer =>
  Buffer.concat([textField(1, database), message(2, message(3, textField(2, name)), integer(5, id))]);

export const removeTarget = (database: string, id: number): Buffer => Buffer.concat([textField(1, database), integer(3, id)]);

/**
 * QueryTarget { parent, structured_query { from { collection_id, all_descendants } } }: the only form that Firestore accepts for
 * a collection group.
 */
const query = (database: string, { collectionId }: ListenTarget): Buffer =>
  message(2, textField(1, `${database}/documents`), message(2, message(2, textField(2, collectionId), integer(3, 1))));

const resume = ({ resumeToken, readTime }: ListenTarget): Buffer =>
  resumeToken ? textField(4, resumeToken) : message(11, encodeReadTime(readTime));
