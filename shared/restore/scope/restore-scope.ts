import type { Archive } from '../../archive/index.ts';
import type { BackupRecord } from '../../backup/index.ts';
import { compareNames, documentRange, intersection, isInRange, type NameRange, scopeOf } from '../../firestore/index.ts';
import type { RestoreRecord } from '../model/record.ts';

/** What of a database a restore is about, never more than its backup was to hold: what that never covered is never touched. */
export interface Scope {
  /** Ascending; none meets another. */
  readonly ranges: readonly NameRange[];
  /** How the target is looked at: by reading the ranges, or by asking for the names that the backup has. */
  readonly look: 'scan' | 'lookup';
  /** Which documents of the ranges are meant, by their paths; all of them if absent. */
  readonly wants?: ((path: string) => boolean) | undefined;
}

export type ScopeRequest = Pick<RestoreRecord, 'mergeMode' | 'collections' | 'includeSubcollections' | 'undoOf'>;

/** An undo is about all that its archive names and nothing else; so is any other restore of documents by name, unless it deletes. */
export const restoreScope = (
  { mergeMode, collections, includeSubcollections, undoOf }: ScopeRequest,
  backup: Pick<BackupRecord, 'collections' | 'excludedCollections'>,
  documents: readonly string[] | undefined,
): Scope => {
  if (undoOf !== null) return { ranges: [{}], look: 'lookup' };
  const covered = intersection(scopeOf(backup.collections, backup.excludedCollections), scopeOf(collections));
  if (documents) {
    const ranges = intersection(rangesOf(documents, includeSubcollections), covered);
    return { ranges, look: mergeMode === 'rollback' ? 'scan' : 'lookup' };
  }
  return { ranges: covered, look: 'scan', wants: includeSubcollections ? undefined : isRightIn(collections) };
};

/** A document that lies below another one that is taken with all below it adds nothing. */
const rangesOf = (documents: readonly string[], withBelow: boolean): readonly NameRange[] => {
  const ranges: NameRange[] = [];
  for (const path of documents.toSorted(compareNames)) {
    const last = ranges.at(-1);
    if (!last || !isInRange(path, last)) ranges.push(documentRange(path, withBelow));
  }
  return ranges;
};

/** Documents right in one of the collections; of everything, those right in root collections. */
const isRightIn = (collections: readonly string[]): ((path: string) => boolean) => {
  if (collections.includes('*')) return (path) => path.indexOf('/') === path.lastIndexOf('/');
  const wanted = new Set(collections);
  return (path) => wanted.has(path.slice(0, path.lastIndexOf('/')));
};

/** The id of the collection that a document lies right in. */
export const collectionIdOf = (path: string): string => {
  const end = path.lastIndexOf('/');
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end);
};

/**
 * Which documents of the target a backup can say of that they were not there, by their paths; undefined if it can of all. One that
 * may lack collections can where it lists the id of the collection, and at the root, whose collections are always all known.
 */
export const absenceKnowledge = (
  { mayLackCollections }: Pick<BackupRecord, 'mayLackCollections'>,
  { manifest }: Pick<Archive, 'manifest'>,
): ((path: string) => boolean) | undefined => {
  if (!mayLackCollections) return undefined;
  const ids = new Set(manifest.collections.map(({ id }) => id));
  return (path) => path.indexOf('/') === path.lastIndexOf('/') || ids.has(collectionIdOf(path));
};
