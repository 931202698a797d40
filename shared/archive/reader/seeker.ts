import type { RecordKind } from '../leaf/column-layout.ts';
import type { Leaf } from '../leaf/leaf.ts';
import { compareNames } from '../name/compare-names.ts';
import type { Segment } from '../page/index-page.ts';
import { lastAtMost } from '../primitives/last-at-most.ts';
import type { Archive } from './archive.ts';
import type { LeafContents } from './leaf-cache.ts';

/**
 * A cursor over the records of a backup that seeks by name or rank. It fetches a page or a leaf only if needed; the first name of
 * a segment is known from the index.
 */
export class Seeker {
  part: LeafContents = 'keys';
  fetches = 0;
  readonly #archive: Archive;
  /** Records before each page. */
  readonly #before: readonly number[];
  #page = 0;
  #segment = 0;
  #offset = 0;
  #heldPage: { readonly page: number; readonly segments: readonly Segment[] } | undefined;
  #leaf: { readonly key: string; readonly leaf: Leaf; readonly part: LeafContents } | undefined;

  constructor(archive: Archive) {
    this.#archive = archive;
    let before = 0;
    this.#before = archive.pages.map(({ records }) => {
      before += records;
      return before - records;
    });
  }

  /** Moves to the first record whose name is not less than `name`; false if there is none. */
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

  /** Moves to the record with this rank; false if there is none. */
  async seekRank(rank: number): Promise<boolean> {
    const page = this.#before.findLastIndex((before) => before <= rank);
    let offset = rank - (this.#before[page] ?? 0);
    const segments = page < 0 ? [] : await this.#segments(page);
    for (const [number, { count }] of segments.entries()) {
      if (offset < count) return this.#move(page, number, offset);
      offset -= count;
    }
    this.#page = this.#archive.pages.length;
    return false;
  }

  next(): Promise<boolean> {
    return this.pass(1);
  }

  /** Skips records of the current run. */
  async pass(records: number): Promise<boolean> {
    return !this.isAtEnd && this.#move(this.#page, this.#segment, this.#offset + records);
  }

  get isAtEnd(): boolean {
    return this.#page >= this.#archive.pages.length;
  }

  /** The number of preceding records. */
  async rank(): Promise<number> {
    const segments = this.isAtEnd ? [] : await this.#segments(this.#page);
    const before = segments.slice(0, this.#segment).reduce((sum, { count }) => sum + count, 0);
    return (
      (this.#before[this.#page] ?? this.#archive.pages.reduce((sum, { records }) => sum + records, 0)) + before + this.#offset
    );
  }

  async name(): Promise<Buffer | undefined> {
    if (this.isAtEnd) return undefined;
    if (this.#segment === 0 && this.#offset === 0) return this.#archive.pages[this.#page]?.name;
    const segment = await this.#currentSegment();
    return this.#offset === 0 ? segment.first : (await this.#leafOf(segment)).name(segment.start + this.#offset);
  }

  async kind(): Promise<RecordKind> {
    const { leaf, slot } = await this.record();
    return leaf.kind(slot);
  }

  /** The current record, with its body if bodies are fetched. */
  async record(): Promise<{ readonly leaf: Leaf; readonly slot: number }> {
    const segment = await this.#currentSegment();
    return { leaf: await this.#leafOf(segment), slot: segment.start + this.#offset };
  }

  /** The records from the current one to the end of its run in one leaf. */
  async run(): Promise<{ readonly leaf: Leaf; readonly from: number; readonly to: number }> {
    const { start, count } = await this.#currentSegment();
    const { leaf, slot } = await this.record();
    return { leaf, from: slot, to: start + count };
  }

  async #currentSegment(): Promise<Segment> {
    const segment = (await this.#segments(this.#page))[this.#segment];
    if (!segment) throw new RangeError('the seeker is at the end');
    return segment;
  }

  /** Moves across the ends of segments and pages. */
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
    if (this.#heldPage?.page === page) return this.#heldPage.segments;
    const entry = this.#archive.pages[page];
    if (!entry) throw new RangeError(`page ${page} does not exist`);
    this.fetches += 1;
    const segments = await this.#archive.segmentsOf(entry);
    this.#heldPage = { page, segments };
    return segments;
  }

  async #leafOf(segment: Segment): Promise<Leaf> {
    const key = `${segment.backup} ${segment.object} ${segment.frame}`;
    const current = this.#leaf;
    if (current?.key === key && (current.part === 'all' || this.part === 'keys')) return current.leaf;
    this.fetches += 1;
    const leaf = await this.#archive.leaf(segment, this.part);
    this.#leaf = { key, leaf, part: this.part };
    return leaf;
  }
}
