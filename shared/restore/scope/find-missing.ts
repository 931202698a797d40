import { type Archive, compareNames, type Leaf, lastAtMost, recordKind, type Segment } from '../../archive/index.ts';
import { ArchiveCursor, archiveRanges, firstFrom } from '../../backup/index.ts';
import { collectionRange, documentRange, type NameRange } from '../../firestore/index.ts';

export interface RequestedNames {
  readonly collections: readonly string[];
  /** Documents as they were given, and the paths that each may stand for. */
  readonly given?: readonly (readonly [given: string, paths: readonly string[]])[] | undefined;
}

const missingMax = 1_000;
/** Looked for at once. */
const lanes = 8;
const recentLeaves = 16;

/** What was named and the backup does not have, in the order it was named: the first 1,000. One document costs two fetches. */
export const findMissing = async (archive: Archive, asked: RequestedNames): Promise<readonly string[]> =>
  (await findMissingUntil(archive, asked, () => false)) ?? [];

/** The same for whoever cannot wait: undefined if it was over before all were looked for. */
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
  const isThere: boolean[] = [];
  const waiting = named.entries();
  const work = async (): Promise<void> => {
    for (const [n, [, ranges]] of waiting) {
      if (isOver()) return;
      isThere[n] = await finder.hasAny(ranges);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  if (named.some((_, n) => isThere[n] === undefined)) return undefined;
  return named
    .filter((_, n) => !isThere[n])
    .map(([text]) => text)
    .slice(0, missingMax);
};

/** Whether there are documents in a range, mostly by the index alone. */
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
    // A record may then be one of a document that is gone.
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
    const slot = firstFrom(leaf, from, segment.start, segment.start + segment.count);
    return (
      slot < segment.start + segment.count && compareNames(leaf.name(slot), to) < 0 && leaf.kind(slot) === recordKind.document
    );
  }

  async #walk(range: NameRange): Promise<boolean> {
    const side = new ArchiveCursor(this.#archive, [range]);
    await side.load();
    const isThere = side.name !== undefined;
    await side.close();
    return isThere;
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
