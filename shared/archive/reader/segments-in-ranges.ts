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

/** The names from one on up to, and without, another; an end left out is open. */
export interface EncodedNameRange {
  readonly from?: Uint8Array | undefined;
  readonly to?: Uint8Array | undefined;
}

/**
 * The segments that may hold names of any of the ranges, which ascend and do not meet, each once and in the order of names.
 * Only pages that have such segments are fetched: where the next one begins is known without it.
 */
export async function* segmentsInRanges(
  index: PagedIndex,
  ranges: readonly EncodedNameRange[],
): AsyncGenerator<Segment, void, undefined> {
  const { pages } = index;
  const left = new Ranges(ranges);
  let before: Buffer | undefined;
  for (const [number, page] of pages.entries()) {
    const pageEnd = pages[number + 1]?.name;
    if (left.areOver(page.name)) return;
    if (!left.meet(page.name, pageEnd)) continue;
    const segments = await index.segmentsOf(page);
    for (const [n, segment] of segments.entries()) {
      if (before && compareNames(before, segment.first) >= 0) throw new ArchiveError('index-invalid', 'segments out of order');
      before = segment.first;
      if (left.meet(segment.first, segments[n + 1]?.first ?? pageEnd)) yield segment;
    }
  }
}

/** Ranges that were passed are not looked at again. */
class Ranges {
  readonly #ranges: readonly EncodedNameRange[];
  #at = 0;

  constructor(ranges: readonly EncodedNameRange[]) {
    this.#ranges = ranges;
  }

  /** Whether no range reaches as far as this name, or beyond. */
  areOver(name: Uint8Array): boolean {
    for (; this.#at < this.#ranges.length; this.#at++) {
      const to = this.#ranges[this.#at]?.to;
      if (!to || compareNames(name, to) < 0) return false;
    }
    return true;
  }

  /** Whether a range has names from this one on up to, and without, the next; the first names ascend from call to call. */
  meet(first: Uint8Array, next: Uint8Array | undefined): boolean {
    if (this.areOver(first)) return false;
    const from = this.#ranges[this.#at]?.from;
    return !from || !next || compareNames(from, next) < 0;
  }
}
