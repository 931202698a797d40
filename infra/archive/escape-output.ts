/**
 * Ids and texts are written by users of the customer's app. Characters that break lines, control terminals, reorder or hide text
 * (control characters, line separators, bidirectional controls, zero-width and other invisible characters) are escaped as `\uXXXX`, which JSON reads as the same character.
 * Line feeds stay: in JSON they occur only between values.
 */
export const escapeOutput = (text: string): string => text.replace(hidden, escaped);

/** A name in a listing: quoted as JSON if it contains such characters or could be taken for JSON. */
export const escapeName = (name: string): string =>
  /^"|\n/.test(name) || name.search(hidden) >= 0 ? escapeOutput(JSON.stringify(name)) : name;

/** Emoji keep their variation selectors and joiners. */
const hidden =
  /[^\P{Cc}\n]|[\p{Zl}\p{Zp}]|[\p{Cf}\p{DI}](?<![\p{Extended_Pictographic}#*\d]\ufe0f)(?<!\p{Extended_Pictographic}(?:\ufe0f|\p{EMod})?\u200d(?=\p{Extended_Pictographic}))/gu;

/** Characters beyond U+FFFF are two units, as in JSON. */
const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, n) => `\\u${character.charCodeAt(n).toString(16).padStart(4, '0')}`).join('');
