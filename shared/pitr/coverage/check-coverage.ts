/** Checks that no collection is missing: the source's count of all documents must equal the sum over the captured collections. */
import { coverageReadsPerHour } from '../../contract/limits.ts';
import { countGroup, countRange, type FirestoreDatabase, SourceError } from '../../firestore/index.ts';
import { log, mapConcurrent } from '../../platform/index.ts';
import type { CollectionGroup } from '../listen/observed-changes.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import type { PitrRecord } from '../model/record.ts';
import { countAfter, isStillCounted } from './check-deletions.ts';

export interface Coverage {
  /** `unknown`: there are other collections. Undefined if it was not checked, or the source did not count. */
  readonly verdict: 'whole' | 'unknown' | undefined;
  /** Whether it was checked, so that the next check waits. */
  readonly isTried: boolean;
  /** Exact counts of groups at that moment. */
  readonly counts: ReadonlyMap<string, number>;
  readonly reads: number;
}

export interface CoverageOptions {
  readonly source: FirestoreDatabase;
  readonly to: number;
  /** Whether the check may cost that many reads now. */
  readonly isDue: (reads: number, to: number) => boolean;
  readonly signal: AbortSignal;
}

/** Reads allowed in every cycle; a check that costs more has `coverageReadsPerHour`. */
const readsFree = 20;
const hourMicros = 3_600 * 1_000_000;
/** Firestore limits a query to 60 s, and a cycle must end within minutes. */
const checkMs = 60_000;
/** Groups counted concurrently. */
const concurrency = 8;

/** A restore that was refused because nothing was counted yet may wait for this many times the reads. */
const requestedShare = 10;

/** A small database is checked in every cycle, one of a million documents every hour or two, and soon after a restore asked for it. */
export const isCheckDue = (
  { checkTriedAt, countRequestedAt, isCountUrgent }: Pick<PitrRecord, 'checkTriedAt' | 'countRequestedAt' | 'isCountUrgent'>,
  reads: number,
  to: number,
): boolean => {
  if (reads <= readsFree || checkTriedAt === undefined || isCountUrgent) return true;
  const readsPerHour = coverageReadsPerHour * (countRequestedAt === undefined ? 1 : requestedShare);
  return (to - microsOf(checkTriedAt)) * readsPerHour >= reads * hourMicros;
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
    const verdict = await countAndCompare(ids, { counts, tally, options: { ...options, signal: inTime } });
    return { verdict, isTried: true, counts, reads: tally.reads };
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
): Promise<Coverage['verdict']> => {
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
  if (whole.documents === undefined) return undefined;
  const known = ids.filter((id) => counts.has(id));
  if (!(await count(ids.filter((id) => !counts.has(id))))) return undefined;
  const sum = (): number => ids.reduce((all, id) => all + (counts.get(id) ?? 0), 0);
  if (sum() === whole.documents) return 'whole';
  // A difference must be confirmed by fresh counts of all groups.
  if (!(await count(known))) return undefined;
  if (sum() > whole.documents) return undefined;
  return sum() === whole.documents ? 'whole' : 'unknown';
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
