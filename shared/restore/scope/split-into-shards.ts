import { type Archive, type ByteRange, compareNames, type NamedPage, type Segment } from '../../archive/index.ts';
import { archiveRanges, rootOf } from '../../backup/index.ts';
import type { NameRange } from '../../firestore/index.ts';
import type { Scope } from './restore-scope.ts';

/** What one worker is given: what of the scope lies in the bound. */
export interface ShardRange {
  readonly bound: NameRange;
  /** Records of the backup in it, about. */
  readonly expected: number;
}

/** Some seconds of work each, so that many workers have their share. */
export const shardRecords = 50_000;
/** More would only wait for each other. */
export const shardsMax = 1_000;
/** Pages of the index fetched at once. */
const lanes = 8;

/**
 * Cuts the scope at names of the backup into parts of about equal size. The bounds follow each other without a gap over all
 * names there can be, so every document, of the backup or of the target, lies in exactly one. Pages of the index are looked
 * into only where they are too large for one part or lie across an end of the scope.
 */
export const splitIntoShards = async (archive: Archive, scope: Scope): Promise<readonly ShardRange[]> => {
  const records = archive.pages.reduce((sum, page) => sum + page.records, 0);
  const enough = Math.max(shardRecords, Math.ceil(records / (shardsMax - 1)));
  const root = rootOf(archive);
  const cuts: ShardRange[] = [];
  let from: string | undefined;
  let expected = 0;
  for await (const piece of piecesOf(archive, scope, enough)) {
    const at = piece.first.toString();
    // Users come before all documents: there is no cut among them.
    if (expected >= enough && at.startsWith(root)) {
      const to = at.slice(root.length);
      cuts.push({ bound: boundOf(from, to), expected });
      from = to;
      expected = 0;
    }
    expected += piece.records;
  }
  return [...cuts, { bound: boundOf(from, undefined), expected }];
};

const boundOf = (from: string | undefined, to: string | undefined): NameRange => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

/** Records of the scope that lie side by side. */
interface Piece {
  readonly first: Buffer;
  readonly records: number;
}

async function* piecesOf(archive: Archive, scope: Scope, enough: number): AsyncGenerator<Piece, void, undefined> {
  const ranges = archiveRanges(archive, scope.ranges);
  const { pages } = archive;
  const [ofPages, ofSegments] = [new Meter(ranges), new Meter(ranges)];
  const met = pages
    .map((page, n) => ({ page, next: pages[n + 1]?.name, records: ofPages.records(page.name, pages[n + 1]?.name, page.records) }))
    .filter(({ records }) => records > 0);
  const isSplit = ({ page, records }: { page: NamedPage; records: number }): boolean =>
    records < page.records || page.records > enough / 2;
  for (let at = 0; at < met.length; at += lanes) {
    const some = met.slice(at, at + lanes);
    const opened = await Promise.all(some.map(async (one) => (isSplit(one) ? archive.segmentsOf(one.page) : undefined)));
    for (const [n, { page, next, records }] of some.entries()) {
      const segments = opened[n];
      if (segments) yield* piecesIn(segments, next, ofSegments);
      else yield { first: page.name, records };
    }
  }
}

function* piecesIn(segments: readonly Segment[], next: Buffer | undefined, meter: Meter): Generator<Piece, void, undefined> {
  for (const [n, { first, count }] of segments.entries()) {
    const records = meter.records(first, segments[n + 1]?.first ?? next, count);
    if (records > 0) yield { first, records };
  }
}

/** Tells how many of records that lie side by side are in the ranges; asked about one run after the other, in order. */
class Meter {
  readonly #ranges: readonly ByteRange[];
  #at = 0;

  constructor(ranges: readonly ByteRange[]) {
    this.#ranges = ranges;
  }

  /** All if a range holds them all; else a guess that is never zero if any range meets them. */
  records(first: Buffer, next: Buffer | undefined, count: number): number {
    let sum = 0;
    for (let n = this.#at; n < this.#ranges.length; n++) {
      const { from, to } = this.#ranges[n] ?? {};
      if (from && next && compareNames(from, next) >= 0) break;
      const endsWithin = to !== undefined && (next === undefined || compareNames(to, next) <= 0);
      // It does not reach what comes next.
      if (endsWithin) this.#at = n + 1;
      if (to && compareNames(to, first) <= 0) continue;
      const holdsEnd = to === undefined || (next !== undefined && compareNames(next, to) <= 0);
      const start = from ? compareNames(from, first) : -1;
      if (start <= 0 && holdsEnd) return count;
      sum += start >= 0 && !holdsEnd ? 1 : Math.ceil(count / 2);
    }
    return Math.min(sum, count);
  }
}
