/**
 * Moments with the microsecond precision of Firestore. They are compared as numbers, because texts have three or six decimals.
 * Microseconds since 1970 are exact in a number until the year 2255.
 */

const pattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;
const secondMicros = 1_000_000;

export const microsOf = (moment: string): number => {
  const match = pattern.exec(moment);
  if (!match) throw new TypeError('a timestamp must look like 2025-01-31T08:00:00.123456Z');
  return Date.parse(`${match[1]}Z`) * 1_000 + Number((match[2] ?? '').padEnd(6, '0').slice(0, 6));
};

/** The time as text with six decimals, so that texts sort by time. */
export const momentOf = (micros: number): string => {
  const seconds = Math.floor(micros / secondMicros);
  const rest = String(micros - seconds * secondMicros).padStart(6, '0');
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}.${rest}Z`;
};

export const canonicalMoment = (moment: string): string => momentOf(microsOf(moment));

export const floorSecond = (micros: number): number => Math.floor(micros / secondMicros) * secondMicros;
/** The last whole second strictly before. */
export const lastSecondBefore = (micros: number): number => floorSecond(micros - 1);
export const ceilSecond = (micros: number): number => Math.ceil(micros / secondMicros) * secondMicros;

/** The time as API responses show it, with milliseconds. */
export const shownMoment = (micros: number): string => new Date(micros / 1_000).toISOString();
