/** The documents that a request names: by their paths, or by bare ids within the collections it names. */
import { invalid } from '../../contract/errors.ts';
import type { MergeMode } from '../../contract/models/restore.ts';
import { compareNames, isDocumentPath } from '../../firestore/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import { type RestoreRecord, restoreKey } from '../model/record.ts';
import type { NamedDocuments } from '../model/start-options.ts';

/** What they are called, with all that bare ids stand for: they are kept on one item beside what was given. */
const namesMaxBytes = 100_000;

export interface NamingCircumstances {
  /** `['*']` where none are named. */
  readonly collections: readonly string[];
  readonly mergeMode: MergeMode;
}

/** Refuses what names no document, what lies outside the collections, and what would be more than can be kept. */
export const requestedDocuments = (documentIds: readonly string[], around: NamingCircumstances): NamedDocuments => {
  const given: [string, readonly string[]][] = [];
  let bytes = 0;
  for (const [n, text] of documentIds.entries()) {
    if (documentIds.indexOf(text) < n) continue;
    const paths = pathsOf(text, `documentIds.${n}`, around);
    bytes += paths.reduce((sum, path) => sum + Buffer.byteLength(JSON.stringify(path)), 0);
    if (bytes > namesMaxBytes)
      throw invalid('documentIds', `must name documents of at most ${namesMaxBytes} bytes of paths; restore the rest after it`);
    given.push([text, paths]);
  }
  return { given, paths: [...new Set(given.flatMap(([, paths]) => paths))].sort(compareNames) };
};

const pathsOf = (text: string, field: string, { collections, mergeMode }: NamingCircumstances): readonly string[] => {
  const isAll = collections.includes('*');
  if (text.includes('/')) {
    if (!isDocumentPath(text)) throw invalid(field, 'must be the path of a document, such as users/ada, or a bare id');
    if (!isAll && !collections.some((collection) => text.startsWith(`${collection}/`)))
      throw invalid(field, 'must lie in one of the collections that are given');
    return [text];
  }
  if (isAll) throw invalid(field, 'must be the path of a document, such as users/ada; a bare id needs collections');
  // It would be deleted from all the others.
  if (mergeMode === 'rollback' && collections.length > 1)
    throw invalid(field, 'must be the path of a document: with rollback, a bare id needs exactly one collection');
  const paths = collections.map((collection) => `${collection}/${text}`);
  if (!paths.every(isDocumentPath)) throw invalid(field, 'must be the id of a document, of at most 1500 bytes');
  return paths;
};

/** The documents asked for by name; undefined where all of the collections are. */
export const loadRequestedDocuments = async (
  tenant: Tenant,
  { id }: Pick<RestoreRecord, 'id'>,
): Promise<{
  readonly documents: readonly string[] | undefined;
  readonly given: readonly (readonly [given: string, paths: readonly string[]])[] | undefined;
}> => {
  const named = await get(restoreKey.scope(tenant, id));
  return { documents: named && JSON.parse(named.documents), given: named && JSON.parse(named.given) };
};
