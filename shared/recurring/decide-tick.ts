/** Decides what a tick does. Pure. */
import { nextRun, previousRun } from './cron/next-run.ts';
import { isWaiting, putOffOf } from './put-off.ts';
import type { RecurringRecord } from './record.ts';

/**
 * A run that starts later than this is missed: its result would say little of its due time. The time in which a run waited for
 * capacity does not count.
 */
export const missedAfterSeconds = 3_600;

export interface Tick {
  /** The due time it was sent for. */
  readonly at: Date;
  /** How often it was postponed. */
  readonly tries: number;
}

export type TickDecision =
  /** Not due yet, or handled already: a duplicate tick. */
  | { readonly kind: 'ignore' }
  /** These runs were missed; `next` is the due time after them. */
  | { readonly kind: 'missed'; readonly first: Date; readonly last: Date; readonly runs: number; readonly next: Date | undefined }
  | { readonly kind: 'run'; readonly at: Date; readonly next: Date | undefined };

/**
 * `nextRunAt` is the due time, whatever the tick says. A duplicate tick, one of a day that matches twice, or one of an old
 * expression is therefore ignored. A tick before its due time is accepted: a local stage may run schedules faster than the clock.
 */
export const decideTick = (
  record: Pick<RecurringRecord, 'cron' | 'timezone' | 'nextRunAt' | 'putOff'>,
  { at, tries }: Tick,
  now: Date,
): TickDecision => {
  const { cron, timezone, nextRunAt } = record;
  if (nextRunAt === null) return { kind: 'ignore' };
  const due = new Date(nextRunAt);
  const present = at > now ? at : now;
  if (due > present || tries < (putOffOf(record)?.tries ?? 0)) return { kind: 'ignore' };
  const next = (moment: Date): Date | undefined => nextRun(cron, timezone, moment);
  const latest = latestOf(cron, { timezone, due, present });
  const startableSince = latest === due ? startableFrom(record, due, present) : latest;
  if (present.getTime() - startableSince.getTime() > missedAfterSeconds * 1_000)
    return { kind: 'missed', first: due, last: latest, runs: runsUpTo(due, latest, next), next: next(latest) };
  if (latest > due) {
    const last = previousRun(cron, timezone, latest) ?? due;
    return { kind: 'missed', first: due, last, runs: runsUpTo(due, last, next), next: latest };
  }
  return { kind: 'run', at: latest, next: next(latest) };
};

/** The last due time up to the present. Its run replaces those of earlier due times. */
const latestOf = (
  cron: string,
  { timezone, due, present }: { readonly timezone: string; readonly due: Date; readonly present: Date },
): Date => {
  const latest = previousRun(cron, timezone, new Date(present.getTime() + 1));
  return latest && latest > due ? latest : due;
};

/** From when on a run can start as far as capacity is concerned. */
const startableFrom = (record: Pick<RecurringRecord, 'nextRunAt' | 'putOff'>, due: Date, present: Date): Date => {
  if (isWaiting(record)) return present;
  const grantedAt = putOffOf(record)?.grantedAt;
  return grantedAt === undefined ? due : new Date(grantedAt);
};

/** Counting stops here; three are enough to be overdue. */
const countMax = 100;

const runsUpTo = (first: Date, last: Date, next: (moment: Date) => Date | undefined): number => {
  let runs = 1;
  for (let moment = next(first); moment && moment <= last && runs < countMax; moment = next(moment)) runs += 1;
  return runs;
};
