/** Safe HTML. The `html` tag escapes every value that is not Html already. */
declare const safe: unique symbol;
export type Html = { readonly text: string; readonly [safe]: true };

type Value = Html | string | number | undefined | false | readonly Value[];

export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  trusted(parts.map((part, n) => part + render(values[n])).join(''));

/** For our own HTML or CSS. */
export const trusted = (text: string): Html => ({ text }) as Html;

const render = (value: Value): string => {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return 'text' in value ? value.text : value.map(render).join('');
};

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
