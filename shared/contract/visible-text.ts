/**
 * Characters that break lines, control terminals, reorder or hide text: control characters, line separators, bidirectional
 * controls, zero-width and other invisible characters. Line feeds are not among them, and emoji keep their selectors and joiners.
 */
export const hiddenCharacters =
  /[^\P{Cc}\n]|[\p{Zl}\p{Zp}]|[\p{Cf}\p{DI}](?<![\p{Extended_Pictographic}#*\d]\ufe0f)(?<!\p{Extended_Pictographic}(?:\ufe0f|\p{EMod})?\u200d(?=\p{Extended_Pictographic}))/gu;

/** Text without them: what a person sees is what it says. */
export const visibleText = (text: string): string => text.toWellFormed().replace(hiddenCharacters, '');
