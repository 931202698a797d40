import { compareNames, type LedgerEntry, lastAtMost } from '../../archive/index.ts';
import { documentRange } from '../names/name-range.ts';

/** Erased names. A document of such a name that was created after `until`, in ms since 1970, is a new one. */
export interface ErasedRange {
  readonly from: Buffer;
  readonly to: Buffer;
  readonly until: number;
}

/** A restore that ran at the time of the erasure may write a document until its worker ends, 15 minutes later; clocks differ, too. */
const graceMs = 20 * 60_000;

/** Documents that were created up to this time, in ms since 1970, are those that the erasure means. */
export const erasedUntil = ({ createdAt }: Pick<LedgerEntry, 'createdAt'>): number => Date.parse(createdAt) + graceMs;

/** Ascending and disjoint ranges of full names. Where erasures overlap, the latest counts. */
export const erasedRanges = (erasures: readonly LedgerEntry[], root: string): readonly ErasedRange[] => {
  const all = erasures
    .flatMap((erasure) => {
      const until = erasedUntil(erasure);
      return erasure.paths.map((path) => ({ ...documentRange(path, erasure.includeSubcollections), until }));
    })
    .map(({ from, to, until }) => ({ from: Buffer.from(root + from), to: Buffer.from(root + to), until }))
    .sort((a, b) => compareNames(a.from, b.from) || compareNames(b.to, a.to) || b.until - a.until);
  return new NestedRanges().flatten(all);
};

/** The subtree of a document contains those of the documents below it: ranges are disjoint or nested. */
class NestedRanges {
  readonly #flat: ErasedRange[] = [];
  /** The ranges around the current name, outermost first; each one is later than the one around it. */
  readonly #open: ErasedRange[] = [];
  #at: Buffer = Buffer.alloc(0);

  flatten(all: readonly ErasedRange[]): readonly ErasedRange[] {
    for (const range of all) {
      this.#close(range.from);
      const around = this.#open.at(-1);
      if (around && range.until <= around.until) continue;
      this.#emit(range.from, around);
      this.#open.push(range);
      this.#at = range.from;
    }
    this.#close(undefined);
    return this.#flat;
  }

  /** Ends the open ranges that do not reach beyond a name. */
  #close(name: Buffer | undefined): void {
    for (let last = this.#open.at(-1); last && (!name || compareNames(last.to, name) <= 0); last = this.#open.at(-1)) {
      this.#emit(last.to, last);
      this.#open.pop();
    }
  }

  #emit(to: Buffer, range: ErasedRange | undefined): void {
    if (range && compareNames(this.#at, to) < 0) this.#flat.push({ from: this.#at, to, until: range.until });
    this.#at = to;
  }
}

/** The range that contains a name. */
export const erasedRangeOf = (ranges: readonly ErasedRange[], name: Uint8Array): ErasedRange | undefined => {
  const range = ranges[lastAtMost(ranges, name, ({ from }) => from)];
  return range && compareNames(name, range.to) < 0 ? range : undefined;
};
