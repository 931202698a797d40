import type { Archive } from '../../archive/index.ts';
import {
  collectionIdOf,
  compareTextNames,
  documentRange,
  intersection,
  isInRange,
  type NameRange,
  scopeOf,
} from '../../firestore/index.ts';
import type { BackupRecord } from '../../stored-backup/index.ts';
import type { RestoreRecord } from '../model/record.ts';

/** The documents that a restore covers: never more than its backup covers, so nothing else is touched. */
export interface RestoreScope {
  /** Ascending and disjoint. */
  readonly ranges: readonly NameRange[];
  /** How the target is read: by scanning the ranges, or by looking up the names that the backup has. */
  readonly look: 'scan' | 'lookup';
  /** Filter of paths within the ranges; all by default. */
  readonly wants?: ((path: string) => boolean) | undefined;
}

export type ScopeRequest = Pick<RestoreRecord, 'mergeMode' | 'collections' | 'includeSubcollections' | 'undoOf' | 'buildsOnly'>;

/** An undo covers exactly the names in its archive. So does a restore of named documents, unless it is a rollback. */
export const restoreScope = (
  { mergeMode, collections, includeSubcollections, undoOf, buildsOnly }: ScopeRequest,
  backup: Pick<BackupRecord, 'collections' | 'excludedCollections'>,
  documents: readonly string[] | undefined,
): RestoreScope => {
  if (buildsOnly) return { ranges: [], look: 'lookup' };
  if (undoOf !== null) return { ranges: [{}], look: 'lookup' };
  const covered = intersection(scopeOf(backup.collections, backup.excludedCollections), scopeOf(collections));
  if (documents) {
    const ranges = intersection(rangesOf(documents, includeSubcollections), covered);
    return { ranges, look: mergeMode === 'rollback' ? 'scan' : 'lookup' };
  }
  return { ranges: covered, look: 'scan', wants: includeSubcollections ? undefined : isDirectlyIn(collections) };
};

/** A document in the subtree of another requested one adds no range. */
const rangesOf = (documents: readonly string[], withBelow: boolean): readonly NameRange[] => {
  const ranges: NameRange[] = [];
  for (const path of documents.toSorted(compareTextNames)) {
    const last = ranges.at(-1);
    if (!last || !isInRange(path, last)) ranges.push(documentRange(path, withBelow));
  }
  return ranges;
};

/** Documents directly in one of the collections; for `*`, directly in root collections. */
const isDirectlyIn = (collections: readonly string[]): ((path: string) => boolean) => {
  if (collections.includes('*')) return (path) => path.indexOf('/') === path.lastIndexOf('/');
  const wanted = new Set(collections);
  return (path) => wanted.has(path.slice(0, path.lastIndexOf('/')));
};

/**
 * Tells for which paths a missing record proves that the document did not exist; undefined if for all. A backup that may lack
 * collections proves it for the collection ids it lists, and for root collections, which are always all known.
 */
export const absenceKnowledge = (
  { mayLackCollections, absenceUnknown = [] }: Pick<BackupRecord, 'mayLackCollections' | 'absenceUnknown'>,
  { manifest }: Pick<Archive, 'manifest'>,
): ((path: string) => boolean) | undefined => {
  if (!mayLackCollections) return undefined;
  const unknown = new Set(absenceUnknown);
  if (unknown.has('**')) return () => false;
  const ids = new Set(manifest.collections.map(({ id }) => id).filter((id) => !unknown.has(id)));
  const isRootKnown = !unknown.has('*');
  return (path) => {
    const id = collectionIdOf(path);
    return ids.has(id) || (isRootKnown && !unknown.has(id) && path.indexOf('/') === path.lastIndexOf('/'));
  };
};
