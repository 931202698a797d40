import { compareNames } from '../name/compare-names.ts';
import type { Segment } from '../page/index-page.ts';
import type { PageEntry } from '../page/index-writer.ts';
import { ArchiveError } from '../primitives/archive-error.ts';

/** An index page that has segments, with its first name. */
export type NamedPage = PageEntry & { readonly name: Buffer };

interface PagedIndex {
  readonly pages: readonly NamedPage[];
  segmentsOf(page: NamedPage): Promise<readonly Segment[]>;
}

/** Names from `from` (inclusive) to `to` (exclusive); an omitted end is open. */
export interface EncodedNameRange {
  readonly from?: Uint8Array | undefined;
  readonly to?: Uint8Array | undefined;
}

/**
 * The segments that may contain names of the ranges, which ascend and do not touch, each once and in name order. Fetches only
 * pages with such segments: the next page names where a page ends.
 */
export async function* segmentsInRanges(
  index: PagedIndex,
  ranges: readonly EncodedNameRange[],
): AsyncGenerator<Segment, void, undefined> {
  for await (const { segment } of boundedSegments(index, ranges)) yield segment;
}

interface BoundedSegment {
  readonly segment: Segment;
  /** The first name of the next segment; undefined for the last one. */
  readonly next: Buffer | undefined;
}

/** The same, with the name that each ends before. */
export async function* boundedSegments(
  index: PagedIndex,
  ranges: readonly EncodedNameRange[],
): AsyncGenerator<BoundedSegment, void, undefined> {
  const { pages } = index;
  const remaining = new Ranges(ranges);
  let before: Buffer | undefined;
  for (const [number, page] of pages.entries()) {
    const pageEnd = pages[number + 1]?.name;
    if (remaining.endBefore(page.name)) return;
    if (!remaining.overlap(page.name, pageEnd)) continue;
    const segments = await index.segmentsOf(page);
    for (const [n, segment] of segments.entries()) {
      if (before && compareNames(before, segment.first) >= 0)
        throw new ArchiveError('index-invalid', 'the segments of the index are out of order');
      before = segment.first;
      const next = segments[n + 1]?.first ?? pageEnd;
      if (remaining.overlap(segment.first, next)) yield { segment, next };
    }
  }
}

class Ranges {
  readonly #ranges: readonly EncodedNameRange[];
  #at = 0;

  constructor(ranges: readonly EncodedNameRange[]) {
    this.#ranges = ranges;
  }

  /** Whether all ranges end at or before this name. */
  endBefore(name: Uint8Array): boolean {
    for (; this.#at < this.#ranges.length; this.#at++) {
      const to = this.#ranges[this.#at]?.to;
      if (!to || compareNames(name, to) < 0) return false;
    }
    return true;
  }

  /** Whether a range has names from `first` (inclusive) to `next` (exclusive). `first` ascends from call to call. */
  overlap(first: Uint8Array, next: Uint8Array | undefined): boolean {
    if (this.endBefore(first)) return false;
    const from = this.#ranges[this.#at]?.from;
    return !from || !next || compareNames(from, next) < 0;
  }
}
