/**
 * Characters that break lines, control terminals, reorder or hide text: control characters, line separators, bidirectional
 * controls, zero-width and other invisible characters. Line feeds are not among them, and emoji and keycaps keep their selectors and joiners.
 */
export const hiddenCharacters =
  /[^\P{Cc}\n]|[\p{Zl}\p{Zp}]|[\p{Cf}\p{DI}](?<!\p{Extended_Pictographic}\ufe0f)(?<![#*\d]\ufe0f(?=\u20e3))(?<!\p{Extended_Pictographic}(?:\ufe0f|\p{EMod})?\u200d(?=\p{Extended_Pictographic}))/gu;

/** Characters that look like a space: those of every width, and the Braille pattern without dots. */
const blankCharacters = /[\p{Zs}\u2800]/gu;

/** Text that is what a person sees: without hidden characters, with plain spaces, and empty if nothing of it can be seen. */
export const visibleText = (text: string): string => {
  const shown = text.toWellFormed().replace(blankCharacters, ' ').replace(hiddenCharacters, '');
  return /[\p{L}\p{N}\p{P}\p{S}\p{Extended_Pictographic}]/u.test(shown) ? shown : '';
};
