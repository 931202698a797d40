/**
 * When a schedule is due, in local time. A local time that clocks going forward skip is due as if they had not changed yet. A local
 * time that clocks going back repeat is due the first time only, unless the schedule is due in every hour: then both times.
 */

import { type Pattern, parseCron } from './parse-cron.ts';
import { shiftMs, toInstants, toLocalTime } from './time-zone.ts';
import { wallTimeStepper } from './wall-time-stepper.ts';

/** The first due time after a moment; undefined if there is none. */
export const nextRun = (cron: string, timezone: string, after: Date): Date | undefined =>
  nearest(cron, { timezone, from: after, direction: 1 });

/** The first run of a schedule after a moment, as its record stores it; null if there is none. */
export const nextRunAfter = (
  { cron, timezone }: { readonly cron: string; readonly timezone: string },
  after: Date,
): string | null => nextRun(cron, timezone, after)?.toISOString() ?? null;

/** The last due time before a moment. */
export const previousRun = (cron: string, timezone: string, before: Date): Date | undefined =>
  nearest(cron, { timezone, from: before, direction: -1 });

/**
 * Scheduler expressions that together fire at every local due time. They may fire more often: a tick is checked against
 * `nextRunAt`. Scheduler supports one kind of day per expression: two expressions if either is enough, that of the week if both
 * must match. It skips local times that clocks skip, and fires once for repeated ones; the watchdog covers those.
 */
export const schedulerExpressions = (cron: string): readonly string[] => {
  const { minutes, hours, days, months, weekdays, isEitherDay } = parseCron(cron);
  // Scheduler numbers Sunday as 1.
  const ofWeek = weekdays.map((weekday) => weekday + 1);
  const entry = (day: string, weekday: string): string =>
    `cron(${listOf(minutes, 60)} ${listOf(hours, 24)} ${day} ${listOf(months, 12)} ${weekday} *)`;
  const byDate = entry(listOf(days, 31), '?');
  const byWeek = entry('?', listOf(ofWeek, 7));
  return isEitherDay ? [byDate, byWeek] : [weekdays.length === 7 ? byDate : byWeek];
};

const listOf = (values: readonly number[], all: number): string => (values.length === all ? '*' : values.join(','));

const nearest = (
  cron: string,
  { timezone, from, direction }: { readonly timezone: string; readonly from: Date; readonly direction: 1 | -1 },
): Date | undefined => {
  const pattern = parseCron(cron);
  const isBeyond = (moment: number, than: number): boolean => (moment - than) * direction > 0;
  const start = from.getTime();
  // Near a clock change, an earlier local time may be a later moment.
  let wall = toLocalTime(timezone, start) - direction * shiftMs(timezone, start);
  let found: number | undefined;
  for (const step = wallTimeStepper(pattern, direction); ; ) {
    const next = step(wall);
    if (next === undefined || (found !== undefined && isBeyond(next, lastOf(timezone, found, direction)))) break;
    wall = next;
    for (const moment of dueAt(pattern, timezone, wall))
      if (isBeyond(moment, start) && (found === undefined || isBeyond(found, moment))) found = moment;
  }
  return found === undefined ? undefined : new Date(found);
};

/** The furthest local time whose moment may still be nearer than this one. */
const lastOf = (timezone: string, moment: number, direction: 1 | -1): number =>
  toLocalTime(timezone, moment) + direction * shiftMs(timezone, moment);

const dueAt = ({ hours }: Pattern, timezone: string, wall: number): readonly number[] => {
  const moments = toInstants(timezone, wall);
  return hours.length === 24 ? moments : moments.slice(0, 1);
};
