import { formatMoment } from './format-time.ts';

/** Names what an id stands for; undefined for what it does not know. */
type NameOf = (id: string) => string | undefined;

/** Recorded details that have a value, as names and values in words: `projectId: prj_1` becomes `project`, `Shop`. */
export const detailWords = (
  details: Readonly<Record<string, unknown>>,
  nameOf: NameOf,
): readonly (readonly [name: string, value: string])[] =>
  Object.entries(details)
    .filter(([, value]) => !['null', '""', '[]', '{}'].includes(JSON.stringify(value)))
    .map(([name, value]) => [fieldWords(name), detailText(value, nameOf)]);

/** `allowedAddresses` becomes `allowed addresses`; what is named is told by its name, not as an id. */
const fieldWords = (name: string): string =>
  name
    .replace(/(?<=[a-z])(Id|At)$/, '')
    .replace(/(?<=[a-z])Ids$/, 's')
    .replace(/^timezone$/, 'time zone')
    .replace(/[A-Z]+/g, (upper) => ` ${upper.toLowerCase()}`);

/** A recorded detail as plain text: `{"type":"user","email":"ada@example.com"}` becomes `type user, email ada@example.com`. */
export const detailText = (value: unknown, nameOf: NameOf = () => undefined): string => {
  if (Array.isArray(value)) return value.map((item) => grouped(item, nameOf)).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return isMoment(value) ? formatMoment(new Date(value)) : (nameOf(value) ?? value);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .filter(([, below]) => below !== null && below !== undefined)
    .map(([name, below]) => `${fieldWords(name)} ${grouped(below, nameOf)}`)
    .join(', ');
};

const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text);

const grouped = (value: unknown, nameOf: NameOf): string => {
  const text = detailText(value, nameOf);
  return typeof value === 'object' && value !== null && text.includes(', ') ? `(${text})` : text;
};
