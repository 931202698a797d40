/** What a tick means, decided apart from all doing. */
import { nextRun, previousRun } from '../cron/next-run.ts';
import type { ScheduleRecord } from '../model/record.ts';

/** A backup that starts later than this says little of the moment it was for. */
export const lateMaxSeconds = 3_600;

export interface Told {
  /** The moment the tick is of. */
  readonly at: Date;
  /** How often it was put off before. */
  readonly tries: number;
}

export type Verdict =
  /** It is not due yet, or was dealt with: whoever told of it told more than there is, or again. */
  | { readonly kind: 'nothing' }
  /** These moments have passed without a backup; `next` is the one after them. */
  | { readonly kind: 'passed'; readonly first: Date; readonly last: Date; readonly runs: number; readonly next: Date | undefined }
  | { readonly kind: 'run'; readonly at: Date; readonly next: Date | undefined };

/**
 * What is due is `nextRunAt`, whatever the tick says: so a tick that comes twice, or of a day that matches twice, or for a time
 * that its expression was changed from, finds nothing. One that comes before its moment is believed: a stage may run its
 * schedules faster than the clock.
 */
export const decideTick = (
  { cron, timezone, nextRunAt, putOff }: Pick<ScheduleRecord, 'cron' | 'timezone' | 'nextRunAt' | 'putOff'>,
  { at, tries }: Told,
  now: Date,
): Verdict => {
  if (nextRunAt === null) return { kind: 'nothing' };
  const due = new Date(nextRunAt);
  const present = at > now ? at : now;
  if (due > present || (putOff?.at === nextRunAt && tries < putOff.tries)) return { kind: 'nothing' };
  const next = (moment: Date): Date | undefined => nextRun(cron, timezone, moment);
  const latest = latestOf(cron, timezone, due, present);
  if (present.getTime() - latest.getTime() > lateMaxSeconds * 1_000)
    return { kind: 'passed', first: due, last: latest, runs: runsUpTo(due, latest, next), next: next(latest) };
  if (latest > due) {
    const last = previousRun(cron, timezone, latest) ?? due;
    return { kind: 'passed', first: due, last, runs: runsUpTo(due, last, next), next: latest };
  }
  return { kind: 'run', at: latest, next: next(latest) };
};

/** The last moment that it was due at, up to the present: an earlier one is over, since this one shows more. */
const latestOf = (cron: string, timezone: string, due: Date, present: Date): Date => {
  const latest = previousRun(cron, timezone, new Date(present.getTime() + 1));
  return latest && latest > due ? latest : due;
};

/** Nobody needs to know how many more; three are enough to be overdue. */
const countMax = 100;

const runsUpTo = (first: Date, last: Date, next: (moment: Date) => Date | undefined): number => {
  let runs = 1;
  for (let moment = next(first); moment && moment <= last && runs < countMax; moment = next(moment)) runs += 1;
  return runs;
};
