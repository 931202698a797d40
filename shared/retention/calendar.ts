/** Which local day, week, month and year a moment falls into. */

export interface Periods {
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
  readonly yearly: number;
}

const dayMs = 24 * 3_600_000;

/** Numbers that are equal within a period and greater in a later one. Weeks begin on Monday (ISO 8601). */
export const calendarOf = (timezone: string): ((momentMs: number) => Periods) => {
  const format = formatOf(timezone);
  return (momentMs) => {
    const values = new Map(format.formatToParts(momentMs).map(({ type, value }) => [type, Number(value)]));
    const [year = 0, month = 0, day = 0] = (['year', 'month', 'day'] as const).map((part) => values.get(part));
    // The local date taken as UTC: counts days, so that a day of 23 hours is a day.
    const days = Date.UTC(year, month - 1, day) / dayMs;
    // 1 January 1970 was a Thursday.
    return { daily: days, weekly: Math.floor((days + 3) / 7), monthly: year * 12 + month, yearly: year };
  };
};

/** Creating a format takes as long as using it a thousand times. */
const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (timezone: string): Intl.DateTimeFormat => {
  const known = formats.get(timezone) ?? newFormat(timezone);
  formats.set(timezone, known);
  return known;
};

const newFormat = (timeZone: string): Intl.DateTimeFormat => {
  const parts = { year: 'numeric', month: 'numeric', day: 'numeric', calendar: 'iso8601' } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { ...parts, timeZone });
  } catch {
    // A zone that this runtime no longer knows: a day off is better than no retention.
    return new Intl.DateTimeFormat('en-US', { ...parts, timeZone: 'UTC' });
  }
};
