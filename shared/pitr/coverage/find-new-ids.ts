/**
 * Finds the collection ids that captures lack, at a moment at which the source has more documents than they have. It looks where
 * they are: below changed documents first, then in the ranges of names whose counts differ. The known collections are not read.
 */
import {
  countGroup,
  countRange,
  type FirestoreDatabase,
  listCollections,
  type NameRange,
  readRange,
  splitPoints,
  tile,
} from '../../firestore/index.ts';
import { mapConcurrent } from '../../platform/index.ts';
import { momentOf } from '../model/micro-time.ts';
import type { PastTally } from './past-tally.ts';

interface NewIdsSearch {
  readonly source: FirestoreDatabase;
  /** In microseconds. */
  readonly moment: number;
  /** The source's count of all documents, and those of the known collections, at that moment. */
  readonly total: number;
  readonly counts: ReadonlyMap<string, number>;
  /** Full names of documents that changed; the last ones are looked at. */
  readonly changed: readonly string[];
  readonly tally: PastTally;
  readonly signal: AbortSignal;
}

/** Documents below which collections are listed, one read each. */
const parentsMax = 100;
/** So many documents of a range are read; a larger range is halved. */
const listMax = 100;
const partsMax = 1_000;
/** More new ids are left to a base: each must be listened to. */
const idsMax = 1_000;
const concurrency = 8;

/**
 * The new ids with their number of documents, which together are as many as the known collections lack. Undefined if that cannot be
 * shown. Throws BudgetSpent.
 */
export const findNewIds = async (search: NewIdsSearch): Promise<ReadonlyMap<string, number> | undefined> => {
  const ids = new NewIds(search);
  await ids.searchParents();
  if (ids.missing > 0) await ids.searchRanges();
  return ids.missing === 0 && ids.found.size <= idsMax ? ids.found : undefined;
};

/** Counts by collection id. */
type Counts = ReadonlyMap<string, number>;

class NewIds {
  readonly found = new Map<string, number>();
  readonly #search: NewIdsSearch;
  readonly #readTime: string;

  constructor(search: NewIdsSearch) {
    this.#search = search;
    this.#readTime = momentOf(search.moment);
  }

  /** Documents of ids that are not found yet; NaN if the source does not count. */
  get missing(): number {
    const { total, counts } = this.#search;
    return total - sumOf(counts) - sumOf(this.found);
  }

  async searchParents(): Promise<void> {
    const { source, changed, tally, signal } = this.#search;
    const parents = changed.slice(-parentsMax);
    for (let n = 0; n < parents.length && this.missing > 0; n += concurrency) {
      const some = parents.slice(n, n + concurrency);
      tally.expect(some.length);
      const listed = await mapConcurrent(some, concurrency, (parent) =>
        listCollections(source, { parent, readTime: this.#readTime, signal }),
      );
      tally.spend(some.length);
      await this.#add(listed.flat());
    }
  }

  async searchRanges(): Promise<void> {
    const { total, counts } = this.#search;
    await this.#searchIn(tile([{}], await this.#boundaries()), total, new Map([...counts, ...this.found]));
  }

  /** Names between ranges of some documents each. */
  async #boundaries(): Promise<readonly string[]> {
    const { source, total, counts, tally, signal } = this.#search;
    const split = async (collectionId: string | undefined, documents: number): Promise<readonly string[]> => {
      const points = Math.min(partsMax, Math.ceil(documents / listMax) - 1);
      if (points < 1) return [];
      tally.expect(1);
      tally.spend(1);
      return splitPoints(source, { collectionId, points, readTime: this.#readTime, signal });
    };
    const names = await split(undefined, total);
    if (names.length > 0 || total <= listMax) return names;
    // Some sources split single collections only.
    return (await mapConcurrent([...counts], concurrency, ([id, documents]) => split(id, documents))).flat();
  }

  async #searchIn(ranges: readonly NameRange[], documents: number, known: Counts): Promise<void> {
    const counts = new Map(known);
    const whole = joined(ranges);
    // Found meanwhile, in other ranges.
    await this.#countIn(
      whole,
      [...this.found.keys()].filter((id) => !counts.has(id)),
      counts,
    );
    if (!(documents - sumOf(counts) > 0) || !(this.missing > 0)) return;
    const middle = ranges.length >>> 1;
    if (documents <= listMax || middle === 0) return this.#read(whole, documents);
    const left = ranges.slice(0, middle);
    const inLeft = await this.#countAll(joined(left));
    const leftCounts = new Map<string, number>();
    await this.#countIn(joined(left), inLeft === 0 ? [] : [...counts].filter(([, n]) => n > 0).map(([id]) => id), leftCounts);
    await this.#searchIn(left, inLeft, leftCounts);
    const rightCounts = new Map([...counts].map(([id, n]) => [id, n - (leftCounts.get(id) ?? 0)]));
    await this.#searchIn(ranges.slice(middle), documents - inLeft, rightCounts);
  }

  async #read(range: NameRange, documents: number): Promise<void> {
    const { source, tally, signal } = this.#search;
    tally.expect(documents);
    const reader = readRange(source, { range, readTime: this.#readTime, signal });
    try {
      for await (const _ of reader);
    } finally {
      tally.spend(reader.reads);
    }
    await this.#add([...reader.collections.keys()]);
  }

  /** Counts ids that are new at all names. */
  async #add(ids: readonly string[]): Promise<void> {
    const { counts } = this.#search;
    const added = [...new Set(ids)].filter((id) => !counts.has(id) && !this.found.has(id));
    const counted = new Map<string, number>();
    await this.#countIn({}, added, counted);
    // An id without documents has only collections below names of documents that do not exist.
    for (const [id, documents] of counted) if (documents !== 0) this.found.set(id, documents);
  }

  async #countIn(range: NameRange, ids: readonly string[], counts: Map<string, number>): Promise<void> {
    const { source, tally, signal } = this.#search;
    await mapConcurrent(ids, concurrency, async (collectionId) => {
      tally.expect(1);
      const { documents, reads } = await countGroup(source, { collectionId, readTime: this.#readTime, range, signal });
      tally.spend(reads);
      counts.set(collectionId, documents ?? Number.NaN);
    });
  }

  async #countAll(range: NameRange): Promise<number> {
    const { source, tally, signal } = this.#search;
    tally.expect(1);
    const { documents, reads } = await countRange(source, { range, readTime: this.#readTime, signal });
    tally.spend(reads);
    return documents ?? Number.NaN;
  }
}

const joined = (ranges: readonly NameRange[]): NameRange => ({ from: ranges[0]?.from, to: ranges.at(-1)?.to });
const sumOf = (counts: Counts): number => [...counts.values()].reduce((sum, count) => sum + count, 0);
