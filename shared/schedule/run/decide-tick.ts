/** Decides what a tick does. Pure. */
import { nextRun, previousRun } from '../cron/next-run.ts';
import type { ScheduleRecord } from '../model/record.ts';
import { isWaiting } from '../model/waiting-runs.ts';

/** A run that starts later than this is missed, unless it only waits for capacity: its backup would say little of its due time. */
export const overdueMaxSeconds = 3_600;

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
  schedule: Pick<ScheduleRecord, 'cron' | 'timezone' | 'nextRunAt' | 'putOff'>,
  { at, tries }: Tick,
  now: Date,
): TickDecision => {
  const { cron, timezone, nextRunAt, putOff } = schedule;
  if (nextRunAt === null) return { kind: 'ignore' };
  const due = new Date(nextRunAt);
  const present = at > now ? at : now;
  if (due > present || (putOff?.at === nextRunAt && tries < putOff.tries)) return { kind: 'ignore' };
  const next = (moment: Date): Date | undefined => nextRun(cron, timezone, moment);
  const latest = latestOf(cron, timezone, due, present);
  if (present.getTime() - latest.getTime() > overdueMaxSeconds * 1_000 && !(latest === due && isWaiting(schedule)))
    return { kind: 'missed', first: due, last: latest, runs: runsUpTo(due, latest, next), next: next(latest) };
  if (latest > due) {
    const last = previousRun(cron, timezone, latest) ?? due;
    return { kind: 'missed', first: due, last, runs: runsUpTo(due, last, next), next: latest };
  }
  return { kind: 'run', at: latest, next: next(latest) };
};

/** The last due time up to the present. Its backup replaces those of earlier due times. */
const latestOf = (cron: string, timezone: string, due: Date, present: Date): Date => {
  const latest = previousRun(cron, timezone, new Date(present.getTime() + 1));
  return latest && latest > due ? latest : due;
};

/** Counting stops here; three are enough to be overdue. */
const countMax = 100;

const runsUpTo = (first: Date, last: Date, next: (moment: Date) => Date | undefined): number => {
  let runs = 1;
  for (let moment = next(first); moment && moment <= last && runs < countMax; moment = next(moment)) runs += 1;
  return runs;
};
