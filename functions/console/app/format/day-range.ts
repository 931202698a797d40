/** Days as an input of type date has them, such as 2026-11-16, in the person's time zone. */
export const isDay = (text: unknown): text is string =>
  typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

const midnight = (day: string, daysLater: number): number => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + daysLater).getTime();
};

export const startOfDay = (day: string): string => new Date(midnight(day, 0)).toISOString();

/** The last millisecond of the day, which has 23 or 25 hours when clocks change. */
export const endOfDay = (day: string): string => new Date(midnight(day, 1) - 1).toISOString();

export const dayOf = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
