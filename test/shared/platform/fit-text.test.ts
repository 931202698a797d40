import { equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { cleanText, escapeHtml, fitText, oneLine } from '../../../shared/platform/index.ts';

test('fitText: a text that fits is unchanged, a longer one ends with an ellipsis', () => {
  equal(fitText('abc', 3), 'abc');
  equal(fitText('abcd', 3), 'ab…');
  equal(fitText('', 3), '');
});

test('fitText: cuts neither a code point nor an escape sequence', () => {
  equal(fitText('a😀b', 3), 'a…');
  equal(fitText('a😀', 3), 'a😀');
  equal(fitText('<<<', 10, escapeHtml), '&lt;&lt;…');
});

test('fitText: the result is well-formed and never longer than allowed', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 50 }), (text, max) => {
      const fitted = fitText(text, max, escapeHtml);
      ok(fitted.length <= max && fitted.isWellFormed());
    }),
  ));

test('cleanText: removes control characters, text directions and lone surrogates, and keeps line breaks', () => {
  equal(cleanText('a\r\nb\rc\u2028d\u0000e\u202ef\ud800g\n\n\n\nh\t '), 'a\nb\nc\nd ef\ufffdg\n\nh');
  equal(cleanText('Ac\u200bme\u00ad 👩‍🚀'), 'Acme 👩‍🚀');
  equal(oneLine(' a\n\n b\tc '), 'a b c');
});
