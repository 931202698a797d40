/** From one time on the wall to the next, or the one before, that a pattern names. */
import { isDay, type Pattern } from './parse-cron.ts';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
/** 29 February on a day of the week is 40 years away at most: 28, and twelve more over a year such as 2100. */
const daysMax = 41 * 366;

/** Times are whole minutes, as `wallOf` counts them; strictly after the one given, or with -1 strictly before it. */
export const stepper = (pattern: Pattern, direction: 1 | -1): ((wall: number) => number | undefined) => {
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
