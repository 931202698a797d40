/** Checks that no collection is missing: the source's count of all documents must equal the sum over the captured collections. */
import { countGroup, countRange, type FirestoreDatabase, SourceError } from '../../firestore/index.ts';
import { log, mapConcurrent } from '../../platform/index.ts';
import { countReadsFree } from '../budget/allowance.ts';
import type { CollectionGroup } from '../listen/observed-changes.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import type { PitrRecord } from '../model/record.ts';
import { countAfter, isStillCounted } from './check-deletions.ts';

export interface Coverage {
  /** `unknown`: there are other collections. Undefined if it was not checked, or the source did not count. */
  readonly verdict: 'whole' | 'unknown' | undefined;
  /** Whether it was checked, so that the next check waits. */
  readonly isTried: boolean;
  /** Exact counts of groups at that moment; of all groups if the verdict is `unknown`. */
  readonly counts: ReadonlyMap<string, number>;
  /** The source's count of all documents, if it was counted. */
  readonly total?: number | undefined;
  readonly reads: number;
}

export interface CoverageOptions {
  readonly source: FirestoreDatabase;
  readonly to: number;
  /** Whether the check may cost that many reads now. */
  readonly isDue: (reads: number, to: number) => boolean;
  readonly signal: AbortSignal;
}

const dayMicros = 24 * 3_600 * 1_000_000;
/** Firestore limits a query to 60 s, and a cycle must end within minutes. */
const checkMs = 60_000;
/** Groups counted concurrently. */
const concurrency = 8;

/** A restore that was refused because nothing was counted yet may wait for this many times the reads. */
const requestedShare = 10;

/** The reads for counts of a day. */
export interface CountAllowance {
  readonly perDay: number;
  readonly spentToday: number;
  /** Whether a check that costs at most `countReadsFree` is made in every cycle. */
  readonly isFree: boolean;
}

/**
 * A check is as often as the reads of a day allow, spread over the day. One that a restore asked for is made at once, within ten
 * times these reads; one that a backup waits for, whatever it costs.
 */
export const isCheckDue = (
  { checkTriedAt, countRequestedAt, isCountUrgent }: Pick<PitrRecord, 'checkTriedAt' | 'countRequestedAt' | 'isCountUrgent'>,
  {
    reads,
    to,
    allowance: { perDay, spentToday, isFree },
  }: { readonly reads: number; readonly to: number; readonly allowance: CountAllowance },
): boolean => {
  if ((isFree && reads <= countReadsFree) || checkTriedAt === undefined || isCountUrgent) return true;
  if (countRequestedAt !== undefined) return spentToday + reads <= perDay * requestedShare;
  if (spentToday + reads > perDay) return false;
  return (to - microsOf(checkTriedAt)) * perDay >= reads * dayMicros;
};

/**
 * Counts everything at one moment, so that a difference means a missing collection. Known counts are used only if they are exact.
 * A failed check does not fail the cycle.
 */
export const checkCoverage = async (groups: readonly CollectionGroup[], options: CoverageOptions): Promise<Coverage> => {
  const { to, isDue, signal } = options;
  const counts = new Map<string, number>();
  for (const group of groups) {
    const { collectionId, count, to: from } = group.position;
    if (count !== undefined && from <= to && isStillCounted(group)) counts.set(collectionId, count);
  }
  const ids = groups.map(({ position }) => position.collectionId);
  if (!isDue(costOf(groups, counts), to)) return { verdict: undefined, isTried: false, counts, reads: 0 };
  const tally = { reads: 0 };
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(checkMs)]);
  try {
    const compared = await countAndCompare(ids, { counts, tally, options: { ...options, signal: inTime } });
    return { ...compared, isTried: true, counts, reads: tally.reads };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceError || inTime.aborted)) throw error;
    log.warn('coverage check failed; retried in a later cycle', { error });
    return { verdict: undefined, isTried: true, counts, reads: tally.reads };
  }
};

const countAndCompare = async (
  ids: readonly string[],
  {
    counts,
    tally,
    options: { source, to, signal },
  }: { readonly counts: Map<string, number>; readonly tally: { reads: number }; readonly options: CoverageOptions },
): Promise<Pick<Coverage, 'verdict' | 'total'>> => {
  const readTime = momentOf(to);
  const count = async (some: readonly string[]): Promise<boolean> => {
    let isRefused = false;
    await mapConcurrent(some, concurrency, async (id) => {
      if (isRefused) return;
      const { documents, reads } = await countGroup(source, { collectionId: id, readTime, signal });
      tally.reads += reads;
      if (documents === undefined) isRefused = true;
      else if (!isRefused) counts.set(id, documents);
    });
    return !isRefused;
  };
  const whole = await countRange(source, { range: {}, readTime, signal });
  tally.reads += whole.reads;
  const total = whole.documents;
  if (total === undefined) return { verdict: undefined };
  const known = ids.filter((id) => counts.has(id));
  if (!(await count(ids.filter((id) => !counts.has(id))))) return { verdict: undefined };
  const sum = (): number => ids.reduce((all, id) => all + (counts.get(id) ?? 0), 0);
  if (sum() === total) return { verdict: 'whole', total };
  // A difference must be confirmed by fresh counts of all groups.
  if (!(await count(known)) || sum() > total) return { verdict: undefined };
  return { verdict: sum() === total ? 'whole' : 'unknown', total };
};

/** Firestore bills one read per 1,000 index entries counted. */
const entriesPerRead = 1_000;

/** Estimated reads: a count of all documents, and of each group without an exact count. */
const costOf = (groups: readonly CollectionGroup[], known: ReadonlyMap<string, number>): number => {
  let [all, reads] = [0, 0];
  for (const group of groups) {
    const count = Math.max(0, countAfter(group) ?? 0);
    all += count;
    if (!known.has(group.position.collectionId)) reads += Math.max(1, Math.ceil(count / entriesPerRead));
  }
  return reads + Math.max(1, Math.ceil(all / entriesPerRead));
};
