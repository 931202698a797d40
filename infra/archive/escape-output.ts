import { hiddenCharacters } from '../../shared/contract/visible-text.ts';

/**
 * Ids and texts are written by users of the customer's app. Hidden characters are escaped as `\uXXXX`, which JSON reads as the same
 * character. Line feeds stay: in JSON they occur only between values.
 */
export const escapeOutput = (text: string): string => text.replace(hiddenCharacters, escaped);

/** A name in a listing: quoted as JSON if it contains such characters or could be taken for JSON. */
export const escapeName = (name: string): string =>
  /^"|\n/.test(name) || name.search(hiddenCharacters) >= 0 ? escapeOutput(JSON.stringify(name)) : name;

/** Characters beyond U+FFFF are two units, as in JSON. */
const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, n) => `\\u${character.charCodeAt(n).toString(16).padStart(4, '0')}`).join('');
