/** RFC 8785: the vectors of the specification, and what JSON cannot express. */
import { equal, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { canonicalJson } from '../../../../shared/archive/evidence/canonical-json.ts';

test('canonicalJson: the example of RFC 8785, section 3.2.2 and 3.2.3', () => {
  const input = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`;
  equal(
    canonicalJson(JSON.parse(input)),
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test('canonicalJson: keys are sorted by UTF-16 code units, as section 3.2.3 shows', () => {
  const input = String.raw`{
    "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
  }`;
  equal(Object.values(JSON.parse(canonicalJson(JSON.parse(input))) as object).length, 7, 'nothing is lost');
  const order = [...canonicalJson(JSON.parse(input)).matchAll(/:"([^"]+)"/g)].map(([, name]) => name);
  equal(
    order.join(', '),
    'Carriage Return, One, Control, Latin Small Letter O With Diaeresis, Euro Sign, Emoji: Grinning Face, Hebrew Letter Dalet With Dagesh',
  );
});

test('canonicalJson: numbers as appendix B writes them', () => {
  for (const [number, text] of [
    [0, '0'],
    [-0, '0'],
    [5e-324, '5e-324'],
    [Number.MAX_VALUE, '1.7976931348623157e+308'],
    [9_007_199_254_740_992, '9007199254740992'],
    [295_147_905_179_352_830_000, '295147905179352830000'],
    [1e21, '1e+21'],
    [9.999999999999997e-7, '9.999999999999997e-7'],
    [0.000001, '0.000001'],
  ] as const)
    equal(canonicalJson(number), text);
});

test('canonicalJson: a key named __proto__ is a member like others', () => {
  equal(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}')), '{"__proto__":{"a":2},"b":1}');
});

for (const [name, value] of [
  ['undefined', { a: undefined }],
  ['not a number', { a: Number.NaN }],
  ['infinity', JSON.parse('[1e400]')],
  ['an unpaired surrogate', '\ud800'],
  ['an unpaired surrogate in a key', { '\udc00': 1 }],
  ['a function', [() => 1]],
  ['a bigint', 1n],
] as const)
  test(`canonicalJson: rejects ${name}`, () => {
    throws(() => canonicalJson(value), { name: 'ArchiveError', code: 'evidence-invalid' });
  });
