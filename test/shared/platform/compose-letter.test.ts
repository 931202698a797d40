import { equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { composeLetter } from '../../../shared/platform/index.ts';

const letter = composeLetter('Hello\r\nBcc: <x>', [
  { heading: 'What & why' },
  ['The project ', { name: '<b>\n"shop"' }, ' failed.'],
  'first\nsecond',
  { facts: [{ name: 'A<', value: '1>' }] },
  { list: [['one ', { name: 'two' }], ['three']] },
  { text: 'Open', url: 'https://x.example/?a="&b' },
]);

test('composeLetter: the subject is one line', () => equal(letter.subject, 'Hello Bcc: <x>'));

test('composeLetter: the plain text has every block, with quoted names', () =>
  equal(
    letter.text,
    [
      'What & why\n----------',
      'The project "<b> "shop"" failed.',
      'first\nsecond',
      'A<: 1>',
      '- one "two"\n- three',
      'Open:\nhttps://x.example/?a="&b',
      '',
    ].join('\n\n'),
  ));

test('composeLetter: the HTML escapes everything and isolates names', () => {
  for (const part of [
    '<title>Hello Bcc: &lt;x&gt;</title>',
    '<h2>What &amp; why</h2>',
    '<p>The project <b><bdi>&lt;b&gt; &quot;shop&quot;</bdi></b> failed.</p>',
    '<p>first<br>second</p>',
    '>A&lt;</th><td><bdi>1&gt;</bdi></td>',
    '<li>one <b><bdi>two</bdi></b></li>',
    '<a href="https://x.example/?a=&quot;&amp;b">Open</a>',
  ])
    ok(letter.html.includes(part), part);
});
