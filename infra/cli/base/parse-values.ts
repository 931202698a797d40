/** Values of options. Their errors are one line, with exit code 2. */
import { InvalidArgumentError, Option } from 'commander';

/** `--collections a,b --collections c` are three. */
export const parseNames = (text: string, earlier: readonly string[] = []): readonly string[] => {
  const names = text.split(',').map((name) => name.trim());
  if (names.some((name) => name === '')) throw new InvalidArgumentError('A name is empty.');
  return [...earlier, ...names];
};

/** One value per use of the option, which may contain commas. */
export const parseEach = (text: string, earlier: readonly string[] = []): readonly string[] => [...earlier, text];

export const parseWhole = (text: string): number => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) throw new InvalidArgumentError('It must be a whole number.');
  return value;
};

/** A whole number of at least 1. */
export const parsePositive = (text: string): number => {
  const value = parseWhole(text);
  if (value === 0) throw new InvalidArgumentError('It must be at least 1.');
  return value;
};

/** A point in time or a day, such as 2026-11-16T11:20:00Z or 2026-11-16; durations count back from now, such as 30m, 12h or 7d. */
export const parseMoment = (text: string): string => {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined)
    return new Date(Date.now() - Number(count) * (unitMs[unit] ?? 0)).toISOString().replace(/\.\d+Z$/, 'Z');
  if (/^\d{4}-\d\d-\d\d$/.test(text) && isDay(text)) return text;
  if (
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) ||
    Number.isNaN(Date.parse(text)) ||
    !isDay(text.slice(0, 10))
  )
    throw new InvalidArgumentError('It must be a time such as 2026-11-16T11:20:00Z, a day, or an age such as 30m, 12h or 7d.');
  return text;
};

/** Whether a text that may be a name as well means a time. */
export const isMoment = (text: string): boolean => /^(\d{1,6}[smhdw]|\d{4}-\d\d-\d\d.*)$/.test(text);

/** A point in time; durations count from now, such as 30m, 12h or 7d. */
export const parseLater = (text: string): string => {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) return parseMoment(text);
  return new Date(Date.now() + Number(count) * (unitMs[unit] ?? 0)).toISOString().replace(/\.\d+Z$/, 'Z');
};

/** JavaScript reads the 30th of February as a day of March. */
const isDay = (day: string): boolean => {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
};

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** An option with a fixed set of values, which are the keys of a record that the compiler compares with the contract. */
export const choiceOption = (flags: string, description: string, choices: Readonly<Record<string, true>>): Option =>
  new Option(flags, description).choices(Object.keys(choices));
