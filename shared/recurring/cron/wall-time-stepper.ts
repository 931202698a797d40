/** Steps from one local time to the next, or previous, that matches a pattern. */
import { isDay, type Pattern } from './parse-cron.ts';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
/** 29 February on a given weekday is at most 40 years away: 28, plus twelve across a year such as 2100. */
const daysMax = 41 * 366;

/** Local times are whole minutes as `toLocalTime` counts them; strictly after the given one, or with -1 strictly before it. */
export const wallTimeStepper = (pattern: Pattern, direction: 1 | -1): ((wall: number) => number | undefined) => {
  const ofDay = pattern.hours.flatMap((hour) => pattern.minutes.map((minute) => (hour * 60 + minute) * minuteMs));
  const near = direction === 1 ? ofDay : ofDay.toReversed();
  return (wall) => {
    let day = Math.floor(wall / dayMs) * dayMs;
    for (let n = 0; n <= daysMax; n++, day += direction * dayMs) {
      const time = isDay(pattern, new Date(day)) ? near.find((one) => (day + one - wall) * direction > 0) : undefined;
      if (time !== undefined) return day + time;
    }
    return undefined;
  };
};
