/**
 * Moments to the microsecond, as the source tells them. Ours end with milliseconds and the source's with microseconds, so they
 * are compared as numbers: a number of microseconds since 1970 is exact until the year 2255.
 */

const pattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;
const secondMicros = 1_000_000;

export const microsOf = (moment: string): number => {
  const match = pattern.exec(moment);
  if (!match) throw new TypeError('a moment is written as 2025-01-31T08:00:00.123456Z');
  return Date.parse(`${match[1]}Z`) * 1_000 + Number((match[2] ?? '').padEnd(6, '0').slice(0, 6));
};

/** In the one spelling that sorts by time: six digits behind the second. */
export const momentOf = (micros: number): string => {
  const seconds = Math.floor(micros / secondMicros);
  const rest = String(micros - seconds * secondMicros).padStart(6, '0');
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}.${rest}Z`;
};

export const canonicalMoment = (moment: string): string => momentOf(microsOf(moment));

export const floorSecond = (micros: number): number => Math.floor(micros / secondMicros) * secondMicros;
/** The last whole second that is earlier. */
export const lastSecondBefore = (micros: number): number => floorSecond(micros - 1);
export const ceilSecond = (micros: number): number => Math.ceil(micros / secondMicros) * secondMicros;

/** As answers spell it, which end with milliseconds. */
export const shownMoment = (micros: number): string => new Date(micros / 1_000).toISOString();
