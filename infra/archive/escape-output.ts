/**
 * Ids and texts are written by users of the customer's app. Characters that break lines, control terminals or reorder text
 * (control characters, line separators, bidirectional controls) are escaped as `\uXXXX`, which JSON reads as the same character.
 * Line feeds stay: in JSON they occur only between values.
 */
export const escapeOutput = (text: string): string => text.replace(hidden, escaped);

/** A name in a listing: quoted as JSON if it contains such characters or could be taken for JSON. */
export const escapeName = (name: string): string =>
  /^"|\n/.test(name) || name.search(hidden) >= 0 ? escapeOutput(JSON.stringify(name)) : name;

const hidden = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
