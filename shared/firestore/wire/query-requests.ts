/** Encodes the read requests of google.firestore.v1 with the field numbers of its protos. */
import type { NameRange } from '../names/name-range.ts';
import { integer, join, message, textField } from './small-messages.ts';
import { encodeReadTime } from './timestamps.ts';

/** Documents root and read time. */
export interface At {
  /** `projects/p/databases/d/documents` */
  readonly root: string;
  readonly readTime: string;
}

/** The documents to select: by name, after a document, of one collection group or of all collections. */
export interface Selection {
  readonly range: NameRange;
  /** Full name of a document, as text or bytes: selects only documents after it. */
  readonly after?: string | Uint8Array | undefined;
  readonly collectionId?: string | undefined;
  /** At most so many, the first ones. */
  readonly limit?: number | undefined;
}

export const runQuery = ({ root, readTime }: At, selection: Selection): Buffer =>
  join(textField(1, root), message(2, query(root, selection)), message(7, encodeReadTime(readTime)));

export const countQuery = (at: At, selection: Selection): Buffer => countOf(at, query(at.root, selection));

/** Counts the documents directly in a root collection. */
export const collectionCountQuery = (at: At, collectionId: string): Buffer => countOf(at, message(2, textField(2, collectionId)));

const countOf = ({ root, readTime }: At, counted: Buffer): Buffer =>
  join(
    textField(1, root),
    message(2, message(1, counted), message(3, message(1), textField(7, 'count'))),
    message(6, encodeReadTime(readTime)),
  );

export const partitionQuery = (
  { root, readTime }: At,
  {
    collectionId,
    points,
    pageToken,
  }: { readonly collectionId: string | undefined; readonly points: number; readonly pageToken: string },
): Buffer =>
  join(
    textField(1, root),
    message(2, query(root, { range: {}, collectionId })),
    integer(3, points),
    pageToken === '' ? undefined : textField(4, pageToken),
    integer(5, 1_000),
    message(6, encodeReadTime(readTime)),
  );

/** `parent` is the documents root or the full name of a document. */
export const listCollectionIds = (parent: string, readTime: string, pageToken: string): Buffer =>
  join(
    textField(1, parent),
    integer(2, 1_000),
    pageToken === '' ? undefined : textField(3, pageToken),
    message(4, encodeReadTime(readTime)),
  );

/** Requests one document without fields: costs one read whatever its size. */
export const probeDocument = (database: string, path: string): Buffer =>
  join(textField(1, database), textField(2, `${database}/documents/${path}`), message(3, textField(1, 'none')));

const ascending = 1;
const and = 1;
const operator = { lessThan: 1, greaterThan: 3, greaterThanOrEqual: 4 } as const;
const nameField = textField(2, '__name__');

/** Bounds are filters, not cursors: the official client reads subtrees this way, and not every aggregation supports cursors. */
const query = (root: string, { range, after, collectionId, limit }: Selection): Buffer => {
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
    message(2, collectionId === undefined ? undefined : textField(2, collectionId), integer(3, 1)),
    where && message(3, where),
    message(4, message(1, nameField), integer(2, ascending)),
    limit === undefined ? undefined : message(5, integer(1, limit)),
  );
};

const compare = (op: number, name: string | Uint8Array): Buffer =>
  message(2, message(1, nameField), integer(2, op), message(3, textField(5, name)));
