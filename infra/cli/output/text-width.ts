/** Columns that a text occupies on a terminal. */
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Characters of East Asia and emoji occupy two columns. */
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;

export const textWidth = (text: string): number => {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
};

/** Shortens a text that is too long; an ellipsis marks the end. */
export const fitText = (text: string, width: number): string => {
  if (textWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += textWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
};
