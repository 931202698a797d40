/** Text that is safe to send as HTML. Only `html` makes it, and it escapes every value that is not safe already. */
declare const safe: unique symbol;
export type Html = { readonly text: string; readonly [safe]: true };

type Value = Html | string | number | undefined | false | readonly Value[];

export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  trusted(parts.map((part, n) => part + shown(values[n])).join(''));

/** For text of our own that is HTML or CSS as it stands. */
export const trusted = (text: string): Html => ({ text }) as Html;

const shown = (value: Value): string => {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return 'text' in value ? value.text : value.map(shown).join('');
};

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
