/**
 * Ids and texts come from whoever uses the customer's app. What would break a line, steer a terminal or turn the order of
 * letters around (control characters of both kinds, separators of lines, bidirectional controls) is written as `\uXXXX`, which
 * JSON reads as the same character. Line ends stay: JSON has them between values only.
 */
export const escapeOutput = (text: string): string => text.replace(hidden, escaped);

/** A name in a listing: as JSON if it holds what is not to be printed, or could be taken for JSON. */
export const escapeName = (name: string): string =>
  /^"|\n/.test(name) || name.search(hidden) >= 0 ? escapeOutput(JSON.stringify(name)) : name;

const hidden = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
