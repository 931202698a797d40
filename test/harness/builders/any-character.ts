/** Any character, for property tests of texts. */
import fc from 'fast-check';

const surrogatesFrom = 0xd800;
const surrogates = 0x800;

/**
 * Draws the same as fast-check's unit `binary`: every code point except surrogates. That one lists all 1.1 million of them first, which
 * takes a second and 90 MB in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: 0x10ffff - surrogates }).map(
  (n) => String.fromCodePoint(n < surrogatesFrom ? n : n + surrogates),
  (text) => {
    const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (code === undefined || text !== String.fromCodePoint(code) || !String(text).isWellFormed())
      throw new TypeError('not a character');
    return code < surrogatesFrom ? code : code - surrogates;
  },
);
