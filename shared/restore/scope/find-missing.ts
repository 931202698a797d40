import { type Archive, compareNames, type Leaf, recordKind, type Segment } from '../../archive/index.ts';
import { ArchiveCursor, archiveRanges } from '../../backup/index.ts';
import { collectionRange, documentRange, type NameRange } from '../../firestore/index.ts';
import { mapConcurrent } from '../../platform/index.ts';
import { cacheLeaves } from '../read/cache-leaves.ts';
import { IndexLocator } from '../read/index-locator.ts';

interface RequestedNames {
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
  readonly #locator: IndexLocator;
  readonly #leafOf: (segment: Segment) => Promise<Leaf>;

  constructor(archive: Archive) {
    this.#archive = archive;
    this.#locator = new IndexLocator(archive);
    this.#leafOf = cacheLeaves((segment) => archive.leaf(segment, 'keys'), recentLeaves);
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
    const { segment, next } = await this.#locator.at(from);
    if (next && compareNames(next, to) < 0) return true;
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
}
