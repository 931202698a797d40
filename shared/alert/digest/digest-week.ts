import { previousRun } from '../../recurring/index.ts';

const dayMs = 24 * 3_600_000;
const weekMs = 7 * dayMs;
/** Mondays at 08:00. */
const digestCron = '0 8 * * 1';
/** A Monday, 00:00 UTC. */
const someMonday = Date.UTC(2024, 0, 1);

export interface DigestWeek {
  readonly dueAt: Date;
  /** The Monday, as a date: the same for all time zones. */
  readonly monday: string;
}

/** The last digest that was due: Monday, 08:00 in the time zone of the organization. */
export const digestWeek = (timezone: string, now: Date): DigestWeek | undefined => {
  const dueAt = previousRun(digestCron, timezone, new Date(now.getTime() + 1));
  if (!dueAt) return undefined;
  // Between Sunday, 18:00 UTC and Monday, 20:00 UTC.
  const weeks = Math.floor((dueAt.getTime() + dayMs / 2 - someMonday) / weekMs);
  return { dueAt, monday: dateOf(someMonday + weeks * weekMs) };
};

/** The seven whole days before this one, UTC: on a Monday, the week from Monday to Sunday. */
export const digestPeriod = (at: Date): { readonly from: string; readonly to: string } => ({
  from: dateOf(at.getTime() - weekMs),
  to: dateOf(at.getTime() - dayMs),
});

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
