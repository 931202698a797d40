/**
 * When a schedule is due. Its time is what the clock on the wall of its zone shows: a time that clocks going forward leave out is
 * due as if they had not been changed yet; one that clocks going back show twice is due at its first pass only, unless it is due
 * in every hour of the day: then it is in both.
 */

import { stepper } from './next-wall-time.ts';
import { type Pattern, parseCron } from './parse-cron.ts';
import { shiftMs, toInstants, toLocalTime } from './time-zone.ts';

export { parseCron } from './parse-cron.ts';

/** The first moment after this one at which it is due; undefined if there is none. */
export const nextRun = (cron: string, timezone: string, after: Date): Date | undefined => nearest(cron, timezone, after, 1);

/** The last moment before this one at which it was due. */
export const previousRun = (cron: string, timezone: string, before: Date): Date | undefined =>
  nearest(cron, timezone, before, -1);

/**
 * The Scheduler's expressions that together tell of every time the wall shows; whoever is told looks at `nextRunAt`, since they may tell of
 * more. The Scheduler takes one kind of day only: where either is enough there are two, where both must match the week's. It leaves
 * out what clocks going forward leave out, and what they show twice it tells once: the watch looks after those.
 */
export const entriesOf = (cron: string): readonly string[] => {
  const { minutes, hours, days, months, weekdays, isEitherDay } = parseCron(cron);
  // Its week is numbered from Sunday, which is 1.
  const ofWeek = weekdays.map((weekday) => weekday + 1);
  const entry = (day: string, weekday: string): string =>
    `cron(${listOf(minutes, 60)} ${listOf(hours, 24)} ${day} ${listOf(months, 12)} ${weekday} *)`;
  const byDate = entry(listOf(days, 31), '?');
  const byWeek = entry('?', listOf(ofWeek, 7));
  return isEitherDay ? [byDate, byWeek] : [weekdays.length === 7 ? byDate : byWeek];
};

const listOf = (values: readonly number[], all: number): string => (values.length === all ? '*' : values.join(','));

const nearest = (cron: string, timezone: string, from: Date, direction: 1 | -1): Date | undefined => {
  const pattern = parseCron(cron);
  const isBeyond = (moment: number, than: number): boolean => (moment - than) * direction > 0;
  const start = from.getTime();
  // Where clocks are changed nearby, times that are behind on the wall may be ahead.
  let wall = toLocalTime(timezone, start) - direction * shiftMs(timezone, start);
  let found: number | undefined;
  for (const step = stepper(pattern, direction); ; ) {
    const next = step(wall);
    if (next === undefined || (found !== undefined && isBeyond(next, lastOf(timezone, found, direction)))) break;
    wall = next;
    for (const moment of dueAt(pattern, timezone, wall))
      if (isBeyond(moment, start) && (found === undefined || isBeyond(found, moment))) found = moment;
  }
  return found === undefined ? undefined : new Date(found);
};

/** The furthest time on the wall whose moment may still be nearer than this one. */
const lastOf = (timezone: string, moment: number, direction: 1 | -1): number =>
  toLocalTime(timezone, moment) + direction * shiftMs(timezone, moment);

const dueAt = ({ hours }: Pattern, timezone: string, wall: number): readonly number[] => {
  const moments = toInstants(timezone, wall);
  return hours.length === 24 ? moments : moments.slice(0, 1);
};
