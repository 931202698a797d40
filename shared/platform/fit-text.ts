/** Prepares text of customers for messages in other systems. */
import { visibleText } from '../contract/visible-text.ts';

/**
 * Text without what could disturb its surroundings: lone surrogates, control characters and characters that reorder or hide
 * text. Spaces of any width become plain ones. Line breaks stay, at most one blank line in a row.
 */
export const cleanText = (text: string): string =>
  visibleText(text.replace(/\r\n?|[\u2028\u2029\u0085]/gu, '\n').replace(/[^\P{Cc}\n]/gu, ' '))
    .replace(/\n{3,}/gu, '\n\n')
    .trim();

/** `cleanText` on one line. */
export const oneLine = (text: string): string => cleanText(text).replace(/\s+/gu, ' ');

/**
 * The text, escaped and at most `maxLength` UTF-16 units long; a longer one ends with an ellipsis. Cuts between code points, never
 * inside an escape sequence.
 */
export const fitText = (
  text: string,
  maxLength: number,
  escapeOne: (codePoint: string) => string = (codePoint) => codePoint,
): string => {
  let [fitted, cut] = ['', ''];
  for (const codePoint of text) {
    fitted += escapeOne(codePoint);
    if (fitted.length > maxLength) return `${cut}…`;
    if (fitted.length < maxLength) cut = fitted;
  }
  return fitted;
};
