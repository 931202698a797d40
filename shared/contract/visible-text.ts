/** Scripts that spell words with joiners: without them a Persian or Hindi name is another one. */
const joining = String.raw`[\p{scx=Arab}\p{scx=Beng}\p{scx=Deva}\p{scx=Gujr}\p{scx=Guru}\p{scx=Knda}\p{scx=Mlym}\p{scx=Orya}\p{scx=Sinh}\p{scx=Taml}\p{scx=Telu}]`;

/**
 * Characters that break lines, control terminals, reorder or hide text: control characters, line separators, bidirectional
 * controls, zero-width and other invisible characters. Line feeds are not among them. Emoji and keycaps keep their selectors and
 * joiners, and words of scripts that are spelled with joiners keep those.
 */
export const hiddenCharacters = new RegExp(
  [
    String.raw`[^\P{Cc}\n]|[\p{Zl}\p{Zp}]|[\p{Cf}\p{DI}]`,
    String.raw`(?<!\p{Extended_Pictographic}\ufe0f)`,
    String.raw`(?<![#*\d]\ufe0f(?=\u20e3))`,
    String.raw`(?<!\p{Extended_Pictographic}(?:\ufe0f|\p{EMod})?\u200d(?=\p{Extended_Pictographic}))`,
    String.raw`(?<!${joining}[\u200c\u200d](?=${joining}))`,
  ].join(''),
  'gu',
);

/** What looks like a space: spaces of every width, the blank Braille pattern, note and hieroglyph, and the placeholder of an object. */
const blankCharacters = /[\p{Zs}\u2800\ufffc\u{1d159}\u{13441}]/gu;

/** Text that is what a person sees: without hidden characters, with plain spaces, and empty if nothing of it can be seen. */
export const visibleText = (text: string): string => {
  const shown = text.toWellFormed().replace(blankCharacters, ' ').replace(hiddenCharacters, '');
  return /[\p{L}\p{N}\p{P}\p{S}\p{Extended_Pictographic}]/u.test(shown) ? shown : '';
};
