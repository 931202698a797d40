/** Parses one field of a cron expression: lists, ranges, steps and names as in crontab(5). */

export interface CronField {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  /** Names of the values, beginning with the lowest. */
  readonly names?: readonly string[];
}

/** In their order within an expression. Both 0 and 7 are Sunday. */
export const fields = {
  minute: { label: 'minute', min: 0, max: 59 },
  hour: { label: 'hour', min: 0, max: 23 },
  day: { label: 'day of month', min: 1, max: 31 },
  month: {
    label: 'month',
    min: 1,
    max: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  weekday: { label: 'day of week', min: 0, max: 7, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
} as const satisfies Readonly<Record<string, CronField>>;

/** The message follows the field's name in a sentence. */
export class BadField extends Error {}

/** The values of a field, ascending and unique. Throws BadField. Sunday is 0. */
export const valuesOf = (field: CronField, text: string): readonly number[] => {
  const values = text.split(',').flatMap((part) => rangeOf(field, part));
  return [...new Set(values.map((value) => (field === fields.weekday ? value % 7 : value)))].sort((a, b) => a - b);
};

const rangeOf = (field: CronField, part: string): readonly number[] => {
  const [range = '', step, ...more] = part.split('/');
  const [first = '', last, ...others] = range.split('-');
  if (more.length > 0 || others.length > 0 || (range === '*' ? false : first === '')) throw notUnderstood(part);
  if (step !== undefined && range !== '*' && last === undefined)
    throw new BadField(`allows a step only after * or a range, not in ${quoted(part)}`);
  const low = range === '*' ? field.min : numberOf(field, first);
  // `*` of the weekday is 0-6, not 0-7.
  const high = range === '*' ? topOf(field) : last === undefined ? low : endOf(field, low, last);
  if (high < low) throw new BadField(`has a range that ends before it begins, ${quoted(part)}`);
  const by = step === undefined ? 1 : stepOf(field, step);
  return Array.from({ length: Math.floor((high - low) / by) + 1 }, (_, n) => low + n * by);
};

const topOf = (field: CronField): number => (field === fields.weekday ? 6 : field.max);

/** A range that ends with `sun` ends with the week. */
const endOf = (field: CronField, low: number, text: string): number => {
  const value = numberOf(field, text);
  return field === fields.weekday && value === 0 && low > 0 && text.toLowerCase() === 'sun' ? 7 : value;
};

const numberOf = (field: CronField, text: string): number => {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + field.min;
  if (!/^\d{1,2}$/.test(text)) throw notUnderstood(text);
  const value = Number(text);
  if (value < field.min || value > field.max) throw new BadField(`must be from ${field.min} to ${field.max}, not ${value}`);
  return value;
};

const stepOf = (field: CronField, text: string): number => {
  const size = topOf(field) - field.min + 1;
  if (!/^\d{1,2}$/.test(text)) throw notUnderstood(`/${text}`);
  const step = Number(text);
  if (step < 1 || step > size) throw new BadField(`allows steps from 1 to ${size}, not ${step}`);
  return step;
};

const notUnderstood = (text: string): BadField =>
  new BadField(`allows numbers, names, lists, ranges and steps as in crontab(5), not ${quoted(text)}`);

const quoted = (text: string): string => JSON.stringify(text.slice(0, 20));
