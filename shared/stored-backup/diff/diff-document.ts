/** Compares one document and returns its fields on both sides. */
import { ApiError, invalid } from '../../contract/errors.ts';
import {
  type FirestoreDatabase,
  getDocuments,
  isDocumentPath,
  isInRange,
  type NameRange,
  sameFields,
} from '../../firestore/index.ts';
import { costOf } from '../model/backup-view.ts';
import { type DocumentEntry, documentEntry, erasedDocument } from '../read/document-entry.ts';
import { findRecord } from '../read/find-record.ts';
import { type ComparedBackup, commonScope, type DiffPage, isPartial } from './diff-archives.ts';
import { beginning } from './diff-cursor.ts';
import type { Counts } from './merge-cursors.ts';

/** A function returns at most 6 MB, and a response has two documents. */
const entryBytesMax = 2_700_000;

/** A document of one side; undefined if it does not exist there. */
interface Side {
  readonly encoded: Uint8Array | undefined;
  readonly rootLength: number;
}

export const diffDocumentOfBackups = async (
  path: string,
  current: ComparedBackup,
  against: ComparedBackup,
): Promise<DiffPage> => {
  assertComparable(path, commonScope(current.backup, against.backup));
  const [from, to] = await Promise.all([against, current].map((side) => readArchived(path, side)));
  return pageOf(path, { against: against.backup.id, from: from as Side, to: to as Side });
};

export const diffDocumentWithLive = async (
  path: string,
  {
    current,
    source,
    signal,
  }: { readonly current: ComparedBackup; readonly source: FirestoreDatabase; readonly signal: AbortSignal },
): Promise<DiffPage> => {
  assertComparable(path, commonScope(current.backup));
  const from = await readArchived(path, current);
  const documents = await getDocuments(source, [path], { signal });
  const encoded = documents.get(path);
  if (encoded && current.open.erasures?.hidesDocument(Buffer.from(path), encoded)) throw erasedDocument();
  const to = { encoded, rootLength: source.root.length + 1 };
  const { data, next } = pageOf(path, { against: 'live', from, to });
  return { data: { ...data, cost: costOf(1) }, next };
};

const assertComparable = (path: string, scope: readonly NameRange[]): void => {
  if (!isDocumentPath(path)) throw invalid('path', 'must be the path of a document, such as users/ada');
  if (!scope.some((range) => isInRange(path, range)))
    throw invalid('path', 'must be within the collections that both sides have in common');
};

const readArchived = async (path: string, { backup, open }: ComparedBackup): Promise<Side> => {
  const { encoded, isNamed, isErased } = await findRecord(path, open);
  if (isErased) throw erasedDocument();
  // A partial backup says nothing about documents that it does not name.
  if (!isNamed && isPartial(backup)) throw new ApiError('NOT_FOUND', 'The partial backup does not contain this document');
  return { encoded, rootLength: open.archive.documentsRoot.length };
};

const pageOf = (
  path: string,
  { against, from, to }: { readonly against: string; readonly from: Side; readonly to: Side },
): DiffPage => {
  const change = changeOf(from.encoded, to.encoded);
  const changes = change === 'unchanged' ? [] : [{ path, change }];
  return {
    data: {
      against,
      counts: { ...beginning.counts, [change]: 1 },
      complete: true,
      changes,
      document: { before: entryOf(from), after: entryOf(to) },
    },
    next: undefined,
  };
};

const changeOf = (before: Uint8Array | undefined, after: Uint8Array | undefined): keyof Counts => {
  if (before && after) return sameFields(before, after) ? 'unchanged' : 'changed';
  if (!before && !after) throw new ApiError('NOT_FOUND', 'Neither side has a document at this path');
  return before ? 'removed' : 'added';
};

const entryOf = ({ encoded, rootLength }: Side): DocumentEntry | null =>
  encoded ? documentEntry(encoded, rootLength, entryBytesMax) : null;
