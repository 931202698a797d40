import type { RecordKind } from '../leaf/column-layout.ts';
import type { Leaf } from '../leaf/leaf.ts';
import { compareNames } from '../name/compare-names.ts';
import type { Segment } from '../page/index-page.ts';
import { lastAtMost } from '../primitives/last-at-most.ts';
import type { Archive } from './archive.ts';
import type { LeafContents } from './leaf-cache.ts';

/**
 * A place among the records of a backup that moves to any name or number. It fetches a page or a leaf only when what is asked
 * for lies in it and it does not hold it already; where a segment begins, its name is known from the index.
 */
export class Seeker {
  /** Whether leaves are fetched with their bodies; one that is held with them is never fetched again. */
  part: LeafContents = 'keys';
  /** Leaves and pages fetched so far. */
  fetches = 0;
  readonly #archive: Archive;
  /** Records before each page. */
  readonly #before: readonly number[];
  #page = 0;
  #segment = 0;
  #offset = 0;
  #held: { readonly page: number; readonly segments: readonly Segment[] } | undefined;
  #leaf: { readonly key: string; readonly leaf: Leaf; readonly part: LeafContents } | undefined;

  constructor(archive: Archive) {
    this.#archive = archive;
    let before = 0;
    this.#before = archive.pages.map(({ records }) => {
      before += records;
      return before - records;
    });
  }

  /** To the first record whose name does not come before this one; false if there is none. */
  async seek(name: Uint8Array): Promise<boolean> {
    const { pages } = this.#archive;
    const page = lastAtMost(pages, name, (one) => one.name);
    if (page < 0) return this.#move(0, 0, 0);
    const segments = await this.#segments(page);
    const number = lastAtMost(segments, name, (one) => one.first);
    const segment = segments[number];
    if (!segment) return this.#move(page, 0, 0);
    if (compareNames(segment.first, name) === 0) return this.#move(page, number, 0);
    const leaf = await this.#leafOf(segment);
    const slot = leaf.lowerBound(name, segment.start + 1, segment.start + segment.count);
    return this.#move(page, number, slot - segment.start);
  }

  /** To the record that so many others come before; false if there are no more than that. */
  async seekRank(rank: number): Promise<boolean> {
    const page = this.#before.findLastIndex((before) => before <= rank);
    let left = rank - (this.#before[page] ?? 0);
    const segments = page < 0 ? [] : await this.#segments(page);
    for (const [number, { count }] of segments.entries()) {
      if (left < count) return this.#move(page, number, left);
      left -= count;
    }
    this.#page = this.#archive.pages.length;
    return false;
  }

  /** To the next record; false if there is none. */
  next(): Promise<boolean> {
    return this.pass(1);
  }

  /** Beyond so many records of the present run. */
  async pass(records: number): Promise<boolean> {
    return !this.isAtEnd && this.#move(this.#page, this.#segment, this.#offset + records);
  }

  get isAtEnd(): boolean {
    return this.#page >= this.#archive.pages.length;
  }

  /** How many records come before. */
  async rank(): Promise<number> {
    const segments = this.isAtEnd ? [] : await this.#segments(this.#page);
    const before = segments.slice(0, this.#segment).reduce((sum, { count }) => sum + count, 0);
    return (
      (this.#before[this.#page] ?? this.#archive.pages.reduce((sum, { records }) => sum + records, 0)) + before + this.#offset
    );
  }

  /** The name here, or undefined at the end. */
  async name(): Promise<Buffer | undefined> {
    if (this.isAtEnd) return undefined;
    if (this.#segment === 0 && this.#offset === 0) return this.#archive.pages[this.#page]?.name;
    const segment = await this.#present();
    return this.#offset === 0 ? segment.first : (await this.#leafOf(segment)).name(segment.start + this.#offset);
  }

  async kind(): Promise<RecordKind> {
    const { leaf, slot } = await this.record();
    return leaf.kind(slot);
  }

  /** The record here, with its body if bodies are fetched. */
  async record(): Promise<{ readonly leaf: Leaf; readonly slot: number }> {
    const segment = await this.#present();
    return { leaf: await this.#leafOf(segment), slot: segment.start + this.#offset };
  }

  /** The records from here on that stand side by side in one leaf. */
  async run(): Promise<{ readonly leaf: Leaf; readonly from: number; readonly to: number }> {
    const { start, count } = await this.#present();
    const { leaf, slot } = await this.record();
    return { leaf, from: slot, to: start + count };
  }

  async #present(): Promise<Segment> {
    const segment = (await this.#segments(this.#page))[this.#segment];
    if (!segment) throw new RangeError('there is no record here');
    return segment;
  }

  /** Steps over the ends of segments and pages. */
  async #move(page: number, number: number, offset: number): Promise<boolean> {
    [this.#page, this.#segment, this.#offset] = [page, number, offset];
    if (offset === 0) return !this.isAtEnd;
    const segments = await this.#segments(page);
    if (offset < (segments[number]?.count ?? 0)) return true;
    [this.#segment, this.#offset] = [number + 1, 0];
    if (number + 1 < segments.length) return true;
    [this.#page, this.#segment] = [page + 1, 0];
    return !this.isAtEnd;
  }

  async #segments(page: number): Promise<readonly Segment[]> {
    if (this.#held?.page === page) return this.#held.segments;
    const entry = this.#archive.pages[page];
    if (!entry) throw new RangeError('there is no such page');
    this.fetches += 1;
    const segments = await this.#archive.segmentsOf(entry);
    this.#held = { page, segments };
    return segments;
  }

  async #leafOf(segment: Segment): Promise<Leaf> {
    const key = `${segment.backup} ${segment.object} ${segment.frame}`;
    const held = this.#leaf;
    if (held?.key === key && (held.part === 'all' || this.part === 'keys')) return held.leaf;
    this.fetches += 1;
    const leaf = await this.#archive.leaf(segment, this.part);
    this.#leaf = { key, leaf, part: this.part };
    return leaf;
  }
}
