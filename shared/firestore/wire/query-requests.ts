/** Encoded requests of google.firestore.v1: the few that reading takes, with the numbers of its protos. */
import type { NameRange } from '../names/name-range.ts';
import { integer, join, message, text } from './small-messages.ts';
import { encodeReadTime } from './timestamps.ts';

/** Where and when to read. */
export interface At {
  /** `projects/p/databases/d/documents` */
  readonly root: string;
  readonly readTime: string;
}

/** Which documents: by name, after one of them, of one collection group or of all collections. */
export interface Selection {
  readonly range: NameRange;
  /** A document's full name, as text or as it came: only what comes after it. */
  readonly after?: string | Uint8Array | undefined;
  readonly collectionId?: string | undefined;
}

export const runQuery = ({ root, readTime }: At, selection: Selection): Buffer =>
  join(text(1, root), message(2, query(root, selection)), message(7, encodeReadTime(readTime)));

export const countQuery = ({ root, readTime }: At, selection: Selection): Buffer =>
  join(
    text(1, root),
    message(2, message(1, query(root, selection)), message(3, message(1), text(7, 'count'))),
    message(6, encodeReadTime(readTime)),
  );

/** The documents right in a root collection, without what is below them. */
export const collectionCountQuery = ({ root, readTime }: At, collectionId: string): Buffer =>
  join(
    text(1, root),
    message(2, message(1, message(2, text(2, collectionId))), message(3, message(1), text(7, 'count'))),
    message(6, encodeReadTime(readTime)),
  );

export const partitionQuery = (
  { root, readTime }: At,
  collectionId: string | undefined,
  points: number,
  pageToken: string,
): Buffer =>
  join(
    text(1, root),
    message(2, query(root, { range: {}, collectionId })),
    integer(3, points),
    pageToken === '' ? undefined : text(4, pageToken),
    integer(5, 1_000),
    message(6, encodeReadTime(readTime)),
  );

/** `parent` is the root or a document's full name. */
export const listCollectionIds = (parent: string, readTime: string, pageToken: string): Buffer =>
  join(
    text(1, parent),
    integer(2, 1_000),
    pageToken === '' ? undefined : text(3, pageToken),
    message(4, encodeReadTime(readTime)),
  );

/** Asks for one document and for none of its fields, so what it costs is one read however large it is. */
export const probeDocument = (database: string, path: string): Buffer =>
  join(text(1, database), text(2, `${database}/documents/${path}`), message(3, text(1, 'none')));

const ascending = 1;
const and = 1;
const operator = { lessThan: 1, greaterThan: 3, greaterThanOrEqual: 4 } as const;
const nameField = text(2, '__name__');

/**
 * Bounds are filters, not cursors: so the official client walks all that is below a collection, and aggregations take no
 * cursors everywhere.
 */
const query = (root: string, { range, after, collectionId }: Selection): Buffer => {
  const filters = [
    after !== undefined
      ? compare(operator.greaterThan, after)
      : range.from === undefined
        ? undefined
        : compare(operator.greaterThanOrEqual, `${root}/${range.from}`),
    range.to === undefined ? undefined : compare(operator.lessThan, `${root}/${range.to}`),
  ].filter((filter) => filter !== undefined);
  const where = filters.length > 1 ? message(1, integer(1, and), ...filters.map((filter) => message(2, filter))) : filters[0];
  return join(
    message(2, collectionId === undefined ? undefined : text(2, collectionId), integer(3, 1)),
    where && message(3, where),
    message(4, message(1, nameField), integer(2, ascending)),
  );
};

const compare = (op: number, name: string | Uint8Array): Buffer =>
  message(2, message(1, nameField), integer(2, op), message(3, text(5, name)));
