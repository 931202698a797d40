/** Whether the collections that are listened to are all there are: what the source counts of all must be the sum of what they have. */
import { countGroup, countRange, type FirestoreDatabase, SourceError } from '../../firestore/index.ts';
import { log } from '../../platform/index.ts';
import type { CollectionGroup } from '../listen/observed-changes.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import type { PitrRecord } from '../model/record.ts';
import { countAfter, isStillCounted } from './check-deletions.ts';

export interface Coverage {
  /** Undefined if it was not looked at, or the source does not tell. */
  readonly verdict: 'whole' | 'unknown' | undefined;
  /** Whether it was looked at, so that the next look waits. */
  readonly isTried: boolean;
  /** What each group has at that moment, where it is exact. */
  readonly counts: ReadonlyMap<string, number>;
  readonly reads: number;
}

export interface CoverageOptions {
  readonly source: FirestoreDatabase;
  readonly to: number;
  /** Whether so many reads may be spent on it now. */
  readonly isDue: (reads: number, to: number) => boolean;
  readonly signal: AbortSignal;
}

/** What a look may cost each turn, and what all of them may in an hour where one costs more. */
const readsFree = 20;
const readsPerHour = 1_000;
const hourMicros = 3_600 * 1_000_000;
/** The service gives a query 60 s; a turn ends within some minutes, whatever it does. */
const checkMs = 60_000;
/** Groups counted at once. */
const lanes = 8;

/** A small database is looked at in every turn, one of a million documents every hour or two. */
export const isCheckDue = ({ checkTriedAt }: Pick<PitrRecord, 'checkTriedAt'>, reads: number, to: number): boolean =>
  reads <= readsFree || checkTriedAt === undefined || (to - microsOf(checkTriedAt)) * readsPerHour >= reads * hourMicros;

/**
 * All at one moment, so that the numbers fit or something is unknown. Numbers of ours serve only while nothing came or went since
 * they were counted: one that is a little off could hide what is looked for. Costs the capture nothing but reads if it fails.
 */
export const checkCoverage = async (groups: readonly CollectionGroup[], wish: CoverageOptions): Promise<Coverage> => {
  const { to, isDue, signal } = wish;
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
    const verdict = await judge(ids, counts, tally, { ...wish, signal: inTime });
    return { verdict, isTried: true, counts, reads: tally.reads };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceError || inTime.aborted)) throw error;
    log.warn('the source did not count its documents', { error });
    return { verdict: undefined, isTried: true, counts, reads: tally.reads };
  }
};

const judge = async (
  ids: readonly string[],
  counts: Map<string, number>,
  tally: { reads: number },
  { source, to, signal }: CoverageOptions,
): Promise<Coverage['verdict']> => {
  const readTime = momentOf(to);
  const count = async (some: readonly string[]): Promise<boolean> => {
    let isRefused = false;
    const waiting = some.values();
    const lane = async (): Promise<void> => {
      for (const id of waiting) {
        const { documents, reads } = await countGroup(source, id, readTime, signal);
        tally.reads += reads;
        isRefused ||= documents === undefined;
        if (isRefused || documents === undefined) return;
        counts.set(id, documents);
      }
    };
    await Promise.all(Array.from({ length: Math.min(lanes, some.length) }, lane));
    return !isRefused;
  };
  const whole = await countRange(source, { range: {}, readTime, signal });
  tally.reads += whole.reads;
  if (whole.documents === undefined) return undefined;
  const sure = ids.filter((id) => counts.has(id));
  if (!(await count(ids.filter((id) => !counts.has(id))))) return undefined;
  const sum = (): number => ids.reduce((all, id) => all + (counts.get(id) ?? 0), 0);
  if (sum() === whole.documents) return 'whole';
  // Nothing is concluded from a number that the source did not just tell.
  if (!(await count(sure))) return undefined;
  if (sum() > whole.documents) return undefined;
  return sum() === whole.documents ? 'whole' : 'unknown';
};

/** Index entries counted for the price of one read. */
const entriesPerRead = 1_000;

/** About: all of them at once, and each group whose number is not sure. */
const costOf = (groups: readonly CollectionGroup[], sure: ReadonlyMap<string, number>): number => {
  let [all, reads] = [0, 0];
  for (const group of groups) {
    const count = Math.max(0, countAfter(group) ?? 0);
    all += count;
    if (!sure.has(group.position.collectionId)) reads += Math.max(1, Math.ceil(count / entriesPerRead));
  }
  return reads + Math.max(1, Math.ceil(all / entriesPerRead));
};
