/**
 * What the clock on the wall of a time zone shows, as a number: milliseconds as if the zone were UTC. No two changes of clocks lie
 * within four days of each other, in any zone since 2000.
 */

const dayMs = 86_400_000;

export const toLocalTime = (timezone: string, moment: number): number => moment + offsetMs(timezone, moment);

/**
 * The moments at which the wall shows a time: two when clocks go back over it. One that clocks going forward leave out is taken as
 * if they had not been changed yet: 02:30 is when the wall shows 03:30.
 */
export const toInstants = (timezone: string, wall: number): readonly number[] => {
  // No zone is further from UTC than 14 hours: these lie safely before and after.
  const [before, after] = [offsetMs(timezone, wall - dayMs), offsetMs(timezone, wall + dayMs)];
  if (before === after) return [wall - before];
  const shown = [wall - before, wall - after].filter((moment) => toLocalTime(timezone, moment) === wall);
  return shown.length === 0 ? [wall - before] : shown.sort((a, b) => a - b);
};

/** By how much the clocks are changed near the moment; as far, times on the wall may be out of order. */
export const shiftMs = (timezone: string, moment: number): number =>
  Math.abs(offsetMs(timezone, moment + 2 * dayMs) - offsetMs(timezone, moment - 2 * dayMs));

const offsetMs = (timezone: string, moment: number): number => {
  if (timezone === 'UTC') return 0;
  const shown = formatOf(timezone).format(moment);
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(shown) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
};

const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (timezone: string): Intl.DateTimeFormat => {
  const known = formats.get(timezone) ?? new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
  formats.set(timezone, known);
  return known;
};
