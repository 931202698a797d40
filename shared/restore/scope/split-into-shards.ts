import { type Archive, compareNames, type EncodedNameRange, type NamedPage, type Segment } from '../../archive/index.ts';
import type { NameRange } from '../../firestore/index.ts';
import { archiveRanges } from '../../stored-backup/index.ts';
import type { RestoreScope } from './restore-scope.ts';

/** The part of the scope that lies in the bound. */
interface ShardRange {
  readonly bound: NameRange;
  /** Estimated number of backup records. */
  readonly expected: number;
}

/** Some seconds of work per shard, so that all workers are busy. */
export const shardRecords = 50_000;
/** More shards would only queue. */
export const shardsMax = 1_000;
/** Index pages fetched at once. */
const pagesAtOnce = 8;

/**
 * Splits the scope at names of the backup into shards of about equal size. The bounds cover all possible names without a gap, so
 * every document of the backup or the target lies in exactly one. An index page is read only if it is too large for one shard
 * or crosses a bound of the scope.
 */
export const splitIntoShards = async (archive: Archive, scope: RestoreScope): Promise<readonly ShardRange[]> => {
  const records = archive.pages.reduce((sum, page) => sum + page.records, 0);
  const enough = Math.max(shardRecords, Math.ceil(records / (shardsMax - 1)));
  const root = archive.documentsRoot;
  const shards: ShardRange[] = [];
  let from: string | undefined;
  let expected = 0;
  for await (const piece of piecesOf(archive, scope, enough)) {
    const at = piece.first.toString();
    // Users sort before all documents and are not split.
    if (expected >= enough && at.startsWith(root)) {
      const to = at.slice(root.length);
      shards.push({ bound: boundOf(from, to), expected });
      from = to;
      expected = 0;
    }
    expected += piece.records;
  }
  return [...shards, { bound: boundOf(from, undefined), expected }];
};

const boundOf = (from: string | undefined, to: string | undefined): NameRange => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

/** Consecutive records of the scope. */
interface Piece {
  readonly first: Buffer;
  readonly records: number;
}

async function* piecesOf(archive: Archive, scope: RestoreScope, enough: number): AsyncGenerator<Piece, void, undefined> {
  const ranges = archiveRanges(archive, scope.ranges);
  const { pages } = archive;
  const [pageCounter, segmentCounter] = [new RangeCounter(ranges), new RangeCounter(ranges)];
  const inScope = pages
    .map((page, n) => ({
      page,
      next: pages[n + 1]?.name,
      records: pageCounter.records(page.name, pages[n + 1]?.name, page.records),
    }))
    .filter(({ records }) => records > 0);
  const isSplit = ({ page, records }: { page: NamedPage; records: number }): boolean =>
    records < page.records || page.records > enough / 2;
  for (let at = 0; at < inScope.length; at += pagesAtOnce) {
    const batch = inScope.slice(at, at + pagesAtOnce);
    const opened = await Promise.all(batch.map(async (one) => (isSplit(one) ? archive.segmentsOf(one.page) : undefined)));
    for (const [n, { page, next, records }] of batch.entries()) {
      const segments = opened[n];
      if (segments) yield* piecesIn(segments, next, segmentCounter);
      else yield { first: page.name, records };
    }
  }
}

function* piecesIn(
  segments: readonly Segment[],
  next: Buffer | undefined,
  counter: RangeCounter,
): Generator<Piece, void, undefined> {
  for (const [n, { first, count }] of segments.entries()) {
    const records = counter.records(first, segments[n + 1]?.first ?? next, count);
    if (records > 0) yield { first, records };
  }
}

/** Counts how many of a run of consecutive records lie in the ranges. Runs must ascend. */
class RangeCounter {
  readonly #ranges: readonly EncodedNameRange[];
  #at = 0;

  constructor(ranges: readonly EncodedNameRange[]) {
    this.#ranges = ranges;
  }

  /** Exact if one range contains them all; otherwise an estimate that is positive if any range overlaps. */
  records(first: Buffer, next: Buffer | undefined, count: number): number {
    let sum = 0;
    for (let n = this.#at; n < this.#ranges.length; n++) {
      const { from, to } = this.#ranges[n] ?? {};
      if (from && next && compareNames(from, next) >= 0) break;
      const endsWithin = to !== undefined && (next === undefined || compareNames(to, next) <= 0);
      // Later runs lie behind this range.
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
