/** Finds the documents of an erasure in a backup. */
import { type Archive, type Leaf, type LedgerEntry, recordKind, type Segment, streamLeaves } from '../../archive/index.ts';
import { ErasureFilter } from '../../firestore/index.ts';
import { FoundPaths } from './found-paths.ts';

export interface SearchOptions {
  /** Ends the search early. */
  readonly isOver: () => boolean;
  /** Segments that an earlier search of the same backup has read. */
  readonly start?: number;
  /** Leaves that were read so far, and whether they hold a document of the erasure. Those without one are not read again. */
  readonly leaves?: Map<string, boolean>;
  /** The documents need not be counted: no leaf is read again. */
  readonly isRest?: boolean;
  /** Paths that the query found elsewhere, and that are not reported again. */
  readonly known?: readonly string[];
  /**
   * Of an archive that hides documents: which slots of its leaves it hides. They are not found. Searches of the same opened archive share
   * it, because a leaf that is read again has the marks of the search before.
   */
  readonly hidden?: HiddenSlots;
}

export type HiddenSlots = WeakMap<Leaf, ReadonlySet<number>>;

export interface SearchResult {
  /** Documents found; of a search that ended early, those found so far. */
  readonly documents: number;
  /** Paths of the documents that the query matched, as far as they fit into an entry. */
  readonly paths: readonly string[];
  /** The first of the documents found, to show a person. */
  readonly named: readonly string[];
  /** Segments that are searched, those of earlier searches included; undefined if all are. */
  readonly searched: number | undefined;
}

/** Documents that a search names. */
const namedMax = 20;

/**
 * Searches an archive that was opened raw, unless `hidden` is given. Paths alone are looked up in the index; a query reads every document of the collections
 * that it names.
 */
export const searchBackup = async (archive: Archive, erasure: LedgerEntry, options: SearchOptions): Promise<SearchResult> => {
  const { isOver, start = 0, leaves, isRest = false, known = [], hidden } = options;
  const filter = new ErasureFilter([erasure], archive.documentsRoot);
  const found = new FoundPaths({ ...erasure, paths: [...erasure.paths, ...known] });
  const root = Buffer.byteLength(archive.documentsRoot);
  const within = erasure.query ? undefined : filter.ranges;
  const named: string[] = [];
  let [documents, passed, searched] = [0, 0, start];
  // Segments are chosen ahead of reading them.
  const positions: number[] = [];
  const skips = (segment: Segment): boolean => {
    passed += 1;
    const isKnown = leaves?.get(keyOf(segment));
    if (passed <= start || isKnown === false || (isRest && isKnown === true)) return true;
    positions.push(passed);
    return false;
  };
  for await (const { segment, leaf } of streamLeaves(archive, { ...(within && { within, part: 'keys' as const }), skips })) {
    // At least one segment is read, so that the search makes progress however little time there is.
    if (searched > start && isOver()) return { documents, paths: found.paths, named, searched };
    const before = hidden && hiddenIn(leaf, hidden);
    filter.apply(leaf);
    let isHolder = false;
    // A leaf that several backups share is read for all of them: versions of the other backups count as found, too.
    for (let slot = 0; slot < leaf.count; slot++) {
      if (leaf.kind(slot) !== recordKind.erased || leaf.storedKind(slot) !== recordKind.document || before?.has(slot)) continue;
      isHolder = true;
      const path = leaf.name(slot).subarray(root);
      if (slot >= segment.start && slot < segment.start + segment.count) {
        documents += 1;
        if (named.length < namedMax) named.push(path.toString());
      }
      found.add(path);
    }
    leaves?.set(keyOf(segment), isHolder);
    searched = positions.shift() ?? searched;
  }
  return { documents, paths: found.paths, named, searched: undefined };
};

const hiddenIn = (leaf: Leaf, known: HiddenSlots): ReadonlySet<number> => {
  const before = known.get(leaf);
  if (before) return before;
  const slots = new Set<number>();
  for (let slot = 0; slot < leaf.count; slot++) if (leaf.kind(slot) === recordKind.erased) slots.add(slot);
  known.set(leaf, slots);
  return slots;
};

const keyOf = ({ backup, object, frame }: Segment): string => `${backup} ${object} ${frame}`;
