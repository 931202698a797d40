import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { canonical, compareValues, equalValues } from '../../../../../../infra/local/engines/firestore/value/compare-values.ts';
import { lookUp, lookUpBytes, readFields, readValue } from '../../../../../../infra/local/engines/firestore/value/value.ts';
import { anyCharacter } from '../../../../../harness/builders/any-character.ts';
import { document, holds, type Json, root, value, valueJson } from '../../../../../harness/firestore/encoded.ts';

const read = (json: Json) => readValue(value(json));
const vector = (...values: number[]): Json => ({
  mapValue: {
    fields: {
      __type__: { stringValue: '__vector__' },
      value: { arrayValue: { values: values.map((doubleValue) => ({ doubleValue })) } },
    },
  },
});
const map = (fields: Json): Json => ({ mapValue: { fields } });
const array = (...values: Json[]): Json => ({ arrayValue: { values } });

/** One value per step of the order; those in one line are equal. */
const ordered: Json[][] = [
  [{ nullValue: 'NULL_VALUE' }],
  [{ booleanValue: false }],
  [{ booleanValue: true }],
  [{ doubleValue: Number.NaN }],
  [{ doubleValue: Number.NEGATIVE_INFINITY }],
  [{ integerValue: '-9223372036854775808' }, { doubleValue: -(2 ** 63) }],
  [{ integerValue: '-3' }],
  [{ doubleValue: -2.5 }],
  [{ doubleValue: -5e-324 }],
  [{ integerValue: '0' }, { doubleValue: 0 }, { doubleValue: -0 }],
  [{ doubleValue: 1.5 }],
  [{ integerValue: '2' }, { doubleValue: 2 }],
  [{ integerValue: '9007199254740992' }, { doubleValue: 2 ** 53 }],
  [{ integerValue: '9007199254740993' }],
  [{ integerValue: '9223372036854775807' }],
  [{ doubleValue: 2 ** 63 }],
  [{ doubleValue: Number.POSITIVE_INFINITY }],
  [{ timestampValue: { seconds: '-62135596800' } }],
  [{ timestampValue: { seconds: '-1', nanos: 999_999_000 } }],
  [{ timestampValue: {} }],
  [{ timestampValue: { nanos: 1000 } }],
  [{ timestampValue: { seconds: '253402300799', nanos: 999_999_000 } }],
  [{ stringValue: '' }],
  [{ stringValue: '\0' }],
  [{ stringValue: 'B' }],
  [{ stringValue: 'a' }],
  [{ stringValue: 'aa' }],
  [{ stringValue: 'é' }],
  [{ stringValue: '日' }],
  [{ stringValue: '\uffff' }],
  // By UTF-8; in UTF-16 it would precede U+FFFF.
  [{ stringValue: '😀' }],
  [{ bytesValue: '' }],
  [{ bytesValue: 'AA==' }],
  [{ bytesValue: 'AAA=' }],
  [{ bytesValue: '/w==' }],
  [{ referenceValue: `${root}/c/__id-1__` }],
  [{ referenceValue: `${root}/c/__id7__` }],
  [{ referenceValue: `${root}/c/__id10__` }],
  [{ referenceValue: `${root}/c/a` }],
  [{ referenceValue: `${root}/c/a/s/x` }],
  [{ referenceValue: `${root}/c/b` }],
  [{ referenceValue: 'projects/q/databases/(default)/documents/c/a' }],
  [{ geoPointValue: { latitude: -1, longitude: 5 } }],
  [{ geoPointValue: {} }, { geoPointValue: { latitude: -0, longitude: -0 } }],
  [{ geoPointValue: { latitude: 1, longitude: -5 } }],
  [{ geoPointValue: { latitude: 1, longitude: 5 } }],
  [array()],
  [array({ integerValue: '1' })],
  [array({ integerValue: '1' }, { integerValue: '2' }), array({ doubleValue: 1 }, { doubleValue: 2 })],
  [array({ integerValue: '2' })],
  [array({ stringValue: 'a' })],
  [vector(5)],
  [vector(1, 2)],
  [vector(1, 3)],
  [map({})],
  [map({ a: { integerValue: '1' } })],
  [map({ b: { integerValue: '0' }, a: { integerValue: '1' } }), map({ a: { doubleValue: 1 }, b: { integerValue: '0' } })],
  [map({ a: { integerValue: '2' } })],
  [map({ b: { integerValue: '0' } })],
];

test('values: all types are in production’s order, and numbers are equal across types', () => {
  const flat = ordered.flatMap((equals, rank) => equals.map((json) => ({ rank, json, value: read(json) })));
  for (const a of flat)
    for (const b of flat) {
      const words = `${JSON.stringify(a.json)} and ${JSON.stringify(b.json)}`;
      assert.equal(Math.sign(compareValues(a.value, b.value)), Math.sign(a.rank - b.rank), words);
      assert.equal(equalValues(a.value, b.value), a.rank === b.rank, words);
      assert.equal(canonical(a.value) === canonical(b.value), a.rank === b.rank, words);
    }
});

const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom(...ordered.slice(0, 46).flat()),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((v) => ({ integerValue: String(v) })),
  fc.double().map((doubleValue) => ({ doubleValue })),
  fc
    .string({ unit: anyCharacter })
    .filter((s) => Buffer.from(s).toString() === s)
    .map((stringValue) => ({ stringValue })),
);
const any: fc.Arbitrary<Json> = fc.letrec<{ any: Json; deep: Json }>((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, leaf, tie('deep')),
  deep: fc.oneof(
    fc.array(leaf, { maxLength: 3 }).map((values) => array(...values)),
    fc.dictionary(fc.string({ minLength: 1, maxLength: 2 }), tie('any'), { maxKeys: 3, noNullPrototype: true }).map(map),
  ),
})).any;

test('values: the order is total, and equality matches it', (t) =>
  holds(
    t,
    fc.property(any, any, any, (x, y, z) => {
      const [a, b, c] = [read(x), read(y), read(z)];
      assert.equal(Math.sign(compareValues(a, b)), -Math.sign(compareValues(b, a)) + 0);
      assert.equal(compareValues(a, a), 0);
      if (compareValues(a, b) <= 0 && compareValues(b, c) <= 0) assert.ok(compareValues(a, c) <= 0);
      assert.equal(canonical(a) === canonical(b), equalValues(a, b));
    }),
    1000,
  ));

test('values: a field is found by its path without decoding the rest', (t) =>
  holds(
    t,
    fc.property(
      fc.dictionary(fc.string({ minLength: 1, maxLength: 3 }), any, { maxKeys: 5, noNullPrototype: true }),
      (fields) => {
        const bytes = document('c/d', fields);
        const all = readFields(bytes);
        assert.deepEqual([...all.keys()].sort(), Object.keys(fields).sort());
        for (const [name, json] of Object.entries(fields)) {
          assert.deepEqual(lookUp(bytes, [name]), read(json));
          assert.deepEqual(valueJson(lookUpBytes(bytes, [name])!), valueJson(value(json)));
          const inner = (json.mapValue as { fields?: Json } | undefined)?.fields ?? {};
          for (const [deeper, one] of Object.entries(inner)) assert.deepEqual(lookUp(bytes, [name, deeper]), read(one as Json));
          assert.equal(lookUp(bytes, [name, 'no such field', 'x']), undefined);
        }
        assert.equal(lookUp(bytes, ['no such field']), undefined);
      },
    ),
  ));

test('values: an unknown value type keeps its bytes', () => {
  const unknown = Buffer.from([0xba, 0x06, 0x01, 0x2a]);
  assert.deepEqual(readValue(unknown), { kind: 'unknown', value: unknown });
});
