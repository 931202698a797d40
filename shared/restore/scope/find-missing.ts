import { type Archive, compareNames, type Leaf, lastAtMost, recordKind, type Segment } from '../../archive/index.ts';
import { ArchiveCursor, archiveRanges } from '../../backup/index.ts';
import { collectionRange, documentRange, type NameRange } from '../../firestore/index.ts';
import { mapConcurrent } from '../../platform/index.ts';

export interface RequestedNames {
  readonly collections: readonly string[];
  /** Documents as they were given, and the paths that each may stand for. */
  readonly given?: readonly (readonly [given: string, paths: readonly string[]])[] | undefined;
}

const missingMax = 1_000;
const concurrency = 8;
const recentLeaves = 16;

/** Requested names that the backup lacks, in request order, at most 1,000. One document costs two fetches. */
export const findMissing = async (archive: Archive, requested: RequestedNames): Promise<readonly string[]> =>
  (await findMissingUntil(archive, requested, () => false)) ?? [];

/** Like `findMissing`; undefined if `isOver` became true before every name was checked. */
export const findMissingUntil = async (
  archive: Archive,
  { collections, given = [] }: RequestedNames,
  isOver: () => boolean,
): Promise<readonly string[] | undefined> => {
  const named: readonly (readonly [string, readonly NameRange[]])[] = [
    ...collections.filter((path) => path !== '*').map((path) => [path, [collectionRange(path)]] as const),
    ...given.map(([text, paths]) => [text, paths.map((path) => documentRange(path, false))] as const),
  ];
  const finder = new Finder(archive);
  let isStopped = false;
  const isFound = await mapConcurrent(named, concurrency, async ([, ranges]) => {
    isStopped ||= isOver();
    return isStopped ? undefined : finder.hasAny(ranges);
  });
  if (isFound.includes(undefined)) return undefined;
  return named
    .filter((_, n) => !isFound[n])
    .map(([text]) => text)
    .slice(0, missingMax);
};

/** Whether a range contains documents, mostly by the index alone. */
class Finder {
  readonly #archive: Archive;
  readonly #leaves = new Map<string, Promise<Leaf>>();

  constructor(archive: Archive) {
    this.#archive = archive;
  }

  async hasAny(ranges: readonly NameRange[]): Promise<boolean> {
    for (const range of ranges) if (await this.#has(range)) return true;
    return false;
  }

  async #has(range: NameRange): Promise<boolean> {
    // A record may then be a tombstone.
    if (this.#archive.manifest.counts.tombstones > 0) return this.#walk(range);
    const [{ from, to } = {}] = archiveRanges(this.#archive, [range]);
    if (!from || !to) return this.#walk(range);
    const { pages } = this.#archive;
    const number = lastAtMost(pages, from, ({ name }) => name);
    const page = pages[number];
    const isNextIn = (next: Buffer | undefined): boolean => next !== undefined && compareNames(next, to) < 0;
    if (!page) return isNextIn(pages[0]?.name);
    const segments = await this.#archive.segmentsOf(page);
    const at = lastAtMost(segments, from, ({ first }) => first);
    if (isNextIn(segments[at + 1]?.first ?? pages[number + 1]?.name)) return true;
    const segment = segments[at];
    if (!segment) return false;
    const leaf = await this.#leafOf(segment);
    const slot = leaf.lowerBound(from, segment.start, segment.start + segment.count);
    return (
      slot < segment.start + segment.count && compareNames(leaf.name(slot), to) < 0 && leaf.kind(slot) === recordKind.document
    );
  }

  async #walk(range: NameRange): Promise<boolean> {
    const cursor = new ArchiveCursor(this.#archive, [range]);
    await cursor.load();
    const isFound = cursor.name !== undefined;
    await cursor.close();
    return isFound;
  }

  #leafOf(segment: Segment): Promise<Leaf> {
    const key = `${segment.backup} ${segment.object} ${segment.frame}`;
    const leaf = this.#leaves.get(key) ?? this.#archive.leaf(segment, 'keys');
    this.#leaves.delete(key);
    this.#leaves.set(key, leaf);
    for (const oldest of this.#leaves.keys()) if (this.#leaves.size > recentLeaves) this.#leaves.delete(oldest);
    return leaf;
  }
}
