/**
 * Local times of a time zone as numbers: milliseconds as if the zone were UTC. Since 2000 no zone has changed its clocks twice
 * within four days.
 */

const dayMs = 86_400_000;

export const toLocalTime = (timezone: string, moment: number): number => moment + offsetMs(timezone, moment);

/**
 * The moments of a local time: two if clocks go back over it. A local time that clocks skip is taken as if they had not changed
 * yet: 02:30 is the moment of 03:30.
 */
export const toInstants = (timezone: string, wall: number): readonly number[] => {
  // No zone is more than 14 hours from UTC, so these lie before and after the change.
  const [before, after] = [offsetMs(timezone, wall - dayMs), offsetMs(timezone, wall + dayMs)];
  if (before === after) return [wall - before];
  const shown = [wall - before, wall - after].filter((moment) => toLocalTime(timezone, moment) === wall);
  return shown.length === 0 ? [wall - before] : shown.sort((a, b) => a - b);
};

/** By how much the clocks change near a moment. Local times closer than this may be out of order. */
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
