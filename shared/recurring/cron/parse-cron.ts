/** Parses a cron expression strictly as in crontab(5). Everything else is refused with a reason. */
import { invalid } from '../../contract/errors.ts';
import { scheduleIntervalMinutesMin } from '../../contract/limits.ts';
import { BadField, type CronField, fields, valuesOf } from './cron-field.ts';

export interface Pattern {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** Sunday is 0. */
  readonly weekdays: readonly number[];
  /**
   * Both day fields are restricted, so that matching one is enough; otherwise both must match. As in crontab(5), a field that
   * begins with `*` counts as unrestricted even with a step.
   */
  readonly isEitherDay: boolean;
}

const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Throws VALIDATION_ERROR of the field `cron` for an expression that is invalid, never due, or due too often. */
export const parseCron = (cron: string): Pattern => {
  const pattern = read(cron);
  if (isNever(pattern)) throw invalid('cron', 'names a day that does not exist');
  const everyMinutes = shortestOf(pattern);
  if (everyMinutes < scheduleIntervalMinutesMin)
    throw invalid('cron', `must leave at least ${scheduleIntervalMinutesMin} minutes between runs, not ${everyMinutes}`);
  return pattern;
};

const read = (cron: string): Pattern => {
  const given = cron.trim();
  const text = given.startsWith('@') ? nicknames[given.toLowerCase()] : given;
  if (text === undefined) throw invalid('cron', `must be five fields or one of ${Object.keys(nicknames).join(', ')}`);
  const parts = text.split(/[ \t]+/);
  if (parts.length !== 5)
    throw invalid('cron', 'must have five fields: minute, hour, day of month, month and day of week; no seconds, no years');
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  return {
    minutes: readField(fields.minute, minute),
    hours: readField(fields.hour, hour),
    days: readField(fields.day, day),
    months: readField(fields.month, month),
    weekdays: readField(fields.weekday, weekday),
    isEitherDay: !day.startsWith('*') && !weekday.startsWith('*'),
  };
};

const readField = (field: CronField, text: string): readonly number[] => {
  try {
    return valuesOf(field, text);
  } catch (error) {
    if (error instanceof BadField) throw invalid('cron', `the ${field.label} ${error.message}`);
    throw error;
  }
};

const daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Such as 30 February. A weekday, if it is enough, occurs in every month. */
const isNever = ({ days, months, isEitherDay }: Pattern): boolean =>
  !isEitherDay && months.every((month) => (daysOfMonth[month - 1] ?? 0) < (days[0] ?? 0));

/** The shortest local time between two runs; clock changes are ignored. */
const shortestOf = (pattern: Pattern): number => {
  const { minutes, hours } = pattern;
  const ofDay = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
  const within = ofDay.slice(1).map((minute, n) => minute - (ofDay[n] ?? 0));
  const overnight = 1_440 + (ofDay[0] ?? 0) - (ofDay.at(-1) ?? 0);
  const isClose = overnight < scheduleIntervalMinutesMin && hasNeighbours(pattern);
  return Math.min(1_440, ...within, ...(isClose ? [overnight] : []));
};

/** Within 28 years every date falls on every weekday. */
const calendarDays = (28 * 1_461) / 4;

/** Whether it is ever due on two consecutive days. */
const hasNeighbours = (pattern: Pattern): boolean => {
  const isDayOf = (n: number): boolean => isDay(pattern, new Date(Date.UTC(2000, 0, 1 + n)));
  return Array.from({ length: calendarDays }, (_, n) => n).some((n) => isDayOf(n) && isDayOf(n + 1));
};

/** Whether it is due on a day, given as a UTC date. */
export const isDay = ({ days, months, weekdays, isEitherDay }: Pattern, date: Date): boolean => {
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const [byDate, byWeek] = [days.includes(date.getUTCDate()), weekdays.includes(date.getUTCDay())];
  return isEitherDay ? byDate || byWeek : byDate && byWeek;
};
