import { escapeHtml } from './escape-html.ts';
import { fitText, oneLine } from './fit-text.ts';

/** The same content as plain text and as HTML. */
export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Our words, or a name that a user chose: quoted in plain text, bold and isolated from its surroundings in HTML. */
export type LetterPart = string | { readonly name: string };

export type LetterBlock =
  | string
  /** The parts of one paragraph. */
  | readonly LetterPart[]
  | { readonly heading: string }
  /** `text` says what opens. */
  | { readonly text: string; readonly url: string }
  | { readonly facts: readonly { readonly name: string; readonly value: string }[] }
  | { readonly list: readonly (readonly LetterPart[])[] };

const subjectMax = 200;

/** Composes an e-mail. All text is escaped; the subject is one line; the HTML loads nothing. */
export const composeLetter = (subject: string, blocks: readonly LetterBlock[]): Letter => {
  const title = fitText(oneLine(subject), subjectMax);
  return {
    subject: title,
    text: [...blocks.map(asText), ''].join('\n\n'),
    html: [
      '<!doctype html>',
      `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body>`,
      ...blocks.map(asHtml),
      '</body></html>',
      '',
    ].join('\n'),
  };
};

const asText = (block: LetterBlock): string => {
  if (typeof block === 'string') return block;
  if (isParagraph(block)) return textOf(block);
  if ('heading' in block) return `${block.heading}\n${'-'.repeat([...block.heading].length)}`;
  if ('url' in block) return `${block.text}:\n${block.url}`;
  if ('facts' in block) return block.facts.map(({ name, value }) => `${name}: ${value}`).join('\n');
  return block.list.map((parts) => `- ${textOf(parts)}`).join('\n');
};

const textOf = (parts: readonly LetterPart[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : `"${oneLine(part.name)}"`)).join('');

const asHtml = (block: LetterBlock): string => {
  if (typeof block === 'string') return `<p>${htmlLines(block)}</p>`;
  if (isParagraph(block)) return `<p>${htmlOf(block)}</p>`;
  if ('heading' in block) return `<h2>${escapeHtml(block.heading)}</h2>`;
  if ('url' in block) return `<p><a href="${escapeHtml(block.url)}">${escapeHtml(block.text)}</a></p>`;
  if ('facts' in block) return ['<table>', ...block.facts.map(htmlFact), '</table>'].join('\n');
  return ['<ul>', ...block.list.map((parts) => `<li>${htmlOf(parts)}</li>`), '</ul>'].join('\n');
};

const htmlOf = (parts: readonly LetterPart[]): string =>
  parts
    .map((part) => (typeof part === 'string' ? escapeHtml(part) : `<b><bdi>${escapeHtml(oneLine(part.name))}</bdi></b>`))
    .join('');

const htmlFact = ({ name, value }: { readonly name: string; readonly value: string }): string =>
  `<tr><th align="left" valign="top">${escapeHtml(name)}</th><td><bdi>${htmlLines(value)}</bdi></td></tr>`;

const htmlLines = (text: string): string => escapeHtml(text).replaceAll('\n', '<br>');

const isParagraph = (block: LetterBlock): block is readonly LetterPart[] => Array.isArray(block);
