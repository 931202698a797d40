/** The documents that a request names: by path, or by bare id within the requested collections. */
import { invalid } from '../../contract/errors.ts';
import type { MergeMode } from '../../contract/models/restore.ts';
import { compareTextNames, isDocumentPath } from '../../firestore/index.ts';
import { get, type Tenant } from '../../platform/index.ts';
import { type RestoreRecord, restoreKey } from '../model/record.ts';
import type { NamedDocuments } from '../model/start-options.ts';

/** All paths, with bare ids expanded: they share one item with the given names. */
const namesMaxBytes = 100_000;

interface NamingContext {
  /** `['*']` where none are named. */
  readonly collections: readonly string[];
  readonly mergeMode: MergeMode;
}

/** Throws VALIDATION_ERROR for names that are no documents, lie outside the collections, or are too many to store. */
export const requestedDocuments = (documentIds: readonly string[], naming: NamingContext): NamedDocuments => {
  const given: [string, readonly string[]][] = [];
  let bytes = 0;
  for (const [n, text] of documentIds.entries()) {
    if (documentIds.indexOf(text) < n) continue;
    const paths = pathsOf(text, `documentIds.${n}`, naming);
    bytes += paths.reduce((sum, path) => sum + Buffer.byteLength(JSON.stringify(path)), 0);
    if (bytes > namesMaxBytes)
      throw invalid(
        'documentIds',
        `must name documents of at most ${namesMaxBytes} bytes of paths; restore the rest in another request`,
      );
    given.push([text, paths]);
  }
  return { given, paths: [...new Set(given.flatMap(([, paths]) => paths))].sort(compareTextNames) };
};

const pathsOf = (text: string, field: string, { collections, mergeMode }: NamingContext): readonly string[] => {
  const isAll = collections.includes('*');
  if (text.includes('/')) {
    if (!isDocumentPath(text)) throw invalid(field, 'must be the path of a document, such as users/ada, or a bare id');
    if (!isAll && !collections.some((collection) => text.startsWith(`${collection}/`)))
      throw invalid(field, 'must be in one of the requested collections');
    return [text];
  }
  if (isAll) throw invalid(field, 'must be the path of a document, such as users/ada; a bare id needs collections');
  // The rollback would delete it from all other collections.
  if (mergeMode === 'rollback' && collections.length > 1)
    throw invalid(field, 'must be the path of a document: with rollback, a bare id needs exactly one collection');
  const paths = collections.map((collection) => `${collection}/${text}`);
  if (!paths.every(isDocumentPath)) throw invalid(field, 'must be the id of a document, of at most 1500 bytes');
  return paths;
};

/** Undefined if the request names whole collections only. */
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
