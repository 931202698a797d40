import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { Email, Name, ShownName, Slug, Timezone, When } from '../../../shared/contract/fields.ts';
import { reservedSlugs } from '../../../shared/contract/limits.ts';

const cases = [
  [
    Name,
    ['A', 'Zoë Ω 東京', '👩‍🚀', '=1+1', 'x'.repeat(100), "O'Brien; DROP"],
    [
      '',
      '\u200b\u2066',
      '\u2800',
      '\ufffc',
      '\u{1d159}\u{13441}',
      '\u2800\u00a0\u2800',
      '\u0301',
      '\u3164',
      ' a',
      'a ',
      'a\nb',
      'a\u0000',
      '\ud800',
      'x'.repeat(101),
      7,
      null,
    ],
  ],
  [
    Slug,
    ['abc', 'a-b-c', 'a1', '123'].filter((slug) => slug.length >= 3),
    ['ab', 'a'.repeat(41), 'Abc', 'a--b', '-ab', 'ab-', 'a_b', 'ümlaut', 'a b', ...reservedSlugs],
  ],
  [
    Email,
    ['a@b.co', 'Ada+x@Example.com', ' a@b.co '],
    [
      '',
      'a',
      'a@b',
      '@b.co',
      'a b@c.de',
      `${'a'.repeat(250)}@b.co`,
      'a@b.co\nBcc: x@y.z',
      'a@b.co,c@d.ef',
      '\uff41da@example.com',
      'ada@\uff45xample.com',
      'mi\u212ae@example.com',
      'ﬁn@example.com',
      'аda@example.com',
    ],
  ],
  [
    Timezone,
    ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'],
    ['', 'Mars/Base', '+02:00', 'Europe/Berlin ', '../etc/passwd', 'x'.repeat(65)],
  ],
  [
    When,
    ['2030-01-01', '2030-01-01T00:00:00Z', '2030-01-01T00:00:00.123456+02:00', '2028-02-29'],
    [
      '',
      '2030',
      '2030-13-01',
      '2030-02-30',
      '2029-02-29',
      'yesterday',
      '2030-01-01T00:00:00',
      '2030-01-01 00:00:00Z',
      '1893456000',
      '01/01/2030',
    ],
  ],
] as const;

for (const [schema, good, bad] of cases) {
  const name =
    schema === Name ? 'Name' : schema === Slug ? 'Slug' : schema === Email ? 'Email' : schema === Timezone ? 'Timezone' : 'When';
  for (const value of good) test(`${name} accepts ${JSON.stringify(value)}`, () => equal(schema.safeParse(value).success, true));
  for (const value of bad)
    test(`${name} rejects ${JSON.stringify(value)?.slice(0, 60)}`, () => equal(schema.safeParse(value).success, false));
}

test('Name: bidirectional and invisible characters are removed, and emoji stay whole', () => {
  equal(Name.parse('\u202egnp.exe\u202c\u2066'), 'gnp.exe');
  equal(Name.parse('\u200b A\u00add\ufeff\u2060a'), 'Ada');
  equal(Name.parse('👩‍🚀 ❤️ שלום'), '👩‍🚀 ❤️ שלום');
  equal(ShownName.parse('Ac\u200bme\u202e'), 'Acme');
});

test('Name: a space of any width is a plain one, and a keycap is the only digit with a selector', () => {
  // Persian and Hindi words are spelled with joiners; between other letters they hide.
  for (const name of ['می\u200cخواهم', 'क्\u200dष']) equal(Name.parse(name), name);
  equal(Name.parse('Ac\u200cme\u200d'), 'Acme');
  equal(Name.parse('Acme\u00a0Corp\u2003of\u3000\u2800Japan'), 'Acme Corp of  Japan');
  equal(Name.parse('Acme 1\ufe0f'), 'Acme 1');
  equal(Name.parse('Acme 1\ufe0f\u20e3 #\ufe0f\u20e3'), 'Acme 1\ufe0f\u20e3 #\ufe0f\u20e3');
});

// The Kelvin sign becomes a plain k in Unicode's lower case.
test('Email: the Kelvin sign is refused, not turned into a k', () => {
  equal('mi\u212ae@example.com'.toLowerCase(), 'mike@example.com');
  equal(Email.safeParse('mi\u212ae@example.com').success, false);
});

test('Email: normalizes white space and case', () => equal(Email.parse(' Ada+X@Example.COM '), 'ada+x@example.com'));
