/** Rules change exactly the values they name, at the level of bytes, and every value keeps its type. */
import { deepEqual, equal, match, notEqual, ok, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { proto, type Value } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { ArchiveError } from '../../../shared/archive/index.ts';
import type { TransformRule } from '../../../shared/contract/models/transform.ts';
import { restDocument } from '../../../shared/firestore/index.ts';
import { DocumentMasker } from '../../../shared/mask/document-masker.ts';
import { RuleSet } from '../../../shared/mask/rule-set.ts';

const key = Buffer.alloc(32, 7);
const root = 'projects/demo/databases/(default)/documents';
const time = { seconds: 1_700_000_000n, nanos: 123_456_000 };
const encode = (value: Value): Uint8Array => proto.Value.encode(value);
const mapOf = (fields: Readonly<Record<string, Value>>): Value => ({
  mapValue: { fields: new Map(Object.entries(fields).map(([name, value]) => [name, encode(value)])) },
});
const listOf = (...values: readonly Value[]): Value => ({ arrayValue: { values: values.map(encode) } });
const documentOf = (path: string, fields: Readonly<Record<string, Value>>): Buffer =>
  Buffer.from(
    proto.Document.encode({
      name: `${root}/${path}`,
      fields: new Map(Object.entries(fields).map(([name, value]) => [name, encode(value)])),
      createTime: time,
      updateTime: time,
    }),
  );
const rule = (field: string, transform: TransformRule['transform'], more: Partial<TransformRule> = {}): TransformRule => ({
  collection: 'users',
  field,
  transform,
  ...more,
});
const masked = (rules: readonly TransformRule[], document: Buffer, path = 'users/ada') => {
  const masker = new DocumentMasker(new RuleSet(rules), key);
  const bytes = masker.mask(document, path);
  return { bytes: Buffer.from(bytes), fields: restDocument(bytes).fields, rules: masker.last.rules };
};
const valueHex = (value: Value, transform: TransformRule['transform'], type?: TransformRule['type']): string => {
  const document = documentOf('users/ada', { f: value });
  const { bytes } = masked([rule('f', transform, type && { type })], document);
  return Buffer.from(proto.Document.decode(bytes).fields.get('f') ?? []).toString('hex');
};

const point = { latitude: 52.5, longitude: 13.4 };
const vector = mapOf({ __type__: { stringValue: '__vector__' }, value: listOf({ doubleValue: 1.5 }, { doubleValue: -2 }) });
const each: readonly (readonly [name: string, value: Value, redacted: string])[] = [
  ['string', { stringValue: 'Ada' }, '8a010a5b72656461637465645d'],
  ['empty string', { stringValue: '' }, '8a010a5b72656461637465645d'],
  ['integer', { integerValue: -42n }, '1000'],
  ['double', { doubleValue: 4.5 }, '190000000000000000'],
  ['boolean', { booleanValue: true }, '0800'],
  ['timestamp', { timestampValue: time }, '5200'],
  ['bytes', { bytesValue: Buffer.from([1, 2, 3]) }, '920100'],
  ['geo point', { geoPointValue: point }, '4200'],
  ['null', { nullValue: 0 }, '5800'],
  [
    'reference',
    { referenceValue: `${root}/users/ada/orders/o1` },
    Buffer.from(encode({ referenceValue: `${root}/users/redacted/orders/redacted` })).toString('hex'),
  ],
];

for (const [name, value, redacted] of each)
  test(`redact: a ${name} becomes the constant of its type`, () => equal(valueHex(value, 'redact'), redacted));

for (const transform of ['hash', 'fake'] as const)
  for (const [name, value] of each.filter(([one]) => one !== 'null'))
    test(`${transform}: a ${name} becomes another value of the same type, always the same`, () => {
      const type = transform === 'fake' ? 'name' : undefined;
      const result = valueHex(value, transform, type);
      equal(result, valueHex(value, transform, type));
      if (name !== 'boolean') notEqual(result, Buffer.from(encode(value)).toString('hex'));
      const kinds = (bytes: Uint8Array): string[] => Object.keys(proto.Value.decode(bytes));
      deepEqual(kinds(Buffer.from(result, 'hex')), kinds(encode(value)));
    });

test('null: any value, a map included, becomes null', () => {
  for (const value of [...each.map(([, one]) => one), mapOf({ a: { stringValue: 'b' } }), listOf({ stringValue: 'b' }), vector])
    equal(valueHex(value, 'null'), '5800');
});

test('a vector stays a vector of the same dimension', () => {
  const { f } = masked([rule('f', 'redact')], documentOf('users/ada', { f: vector })).fields;
  const zero = { doubleValue: 0 };
  deepEqual(JSON.parse(JSON.stringify(f)), {
    mapValue: { fields: { __type__: { stringValue: '__vector__' }, value: { arrayValue: { values: [zero, zero] } } } },
  });
});

test('null beside a more specific rule: only what that rule names is left of a map, and a vector is null as a whole', () => {
  const document = documentOf('users/ada', {
    embedding: vector,
    tags: listOf({ stringValue: 'a' }, { stringValue: 'b' }),
    empty: mapOf({}),
    people: mapOf({ 'ada@example.com': mapOf({ role: { stringValue: 'owner' } }) }),
    address: mapOf({ country: { stringValue: 'DE' }, street: { stringValue: 'Elm 1' }, position: vector }),
    cards: listOf(
      mapOf({ brand: { stringValue: 'visa' }, number: { stringValue: '4111' } }),
      mapOf({ number: { stringValue: '1' } }),
    ),
  });
  const nothing = { nullValue: null };
  const visa = { mapValue: { fields: { brand: { stringValue: 'visa' }, number: nothing } } };
  const resultOf = (...rules: readonly TransformRule[]) => JSON.parse(JSON.stringify(masked(rules, document).fields));
  deepEqual(resultOf(rule('*', 'null'), rule('**.country', 'keep'), rule('cards[].brand', 'keep')), {
    embedding: nothing,
    tags: nothing,
    empty: nothing,
    people: nothing,
    address: { mapValue: { fields: { country: { stringValue: 'DE' }, street: nothing, position: nothing } } },
    cards: { arrayValue: { values: [visa, nothing] } },
  });
  // The elements of a vector cannot be null: the vector is.
  deepEqual(resultOf(rule('embedding.value[]', 'null')).embedding, nothing);
  deepEqual(resultOf(rule('embedding', 'null'), rule('embedding.value', 'keep')).embedding.mapValue.fields.value, {
    arrayValue: { values: [{ doubleValue: 1.5 }, { doubleValue: -2 }] },
  });
});

test('a rule for a map or an array applies to everything in it', () => {
  const document = documentOf('users/ada', {
    address: mapOf({ street: { stringValue: 'Elm 1' }, lines: listOf({ stringValue: 'a' }, mapOf({ n: { integerValue: 7n } })) }),
    other: { stringValue: 'stays' },
  });
  const { fields } = masked([rule('address', 'redact')], document);
  const text = JSON.stringify(fields);
  ok(!text.includes('Elm') && !text.includes('"7"') && text.includes('stays'));
  deepEqual(Object.keys(fields), ['address', 'other']);
});

test('paths: maps, wildcards, elements of arrays, any depth and quoted names', () => {
  const document = documentOf('users/ada', {
    contacts: mapOf({ home: mapOf({ phone: { stringValue: 'p1' }, kind: { stringValue: 'k1' } }) }),
    cards: listOf(mapOf({ number: { stringValue: 'n1' }, brand: { stringValue: 'b1' } })),
    tags: listOf({ stringValue: 't1' }),
    'first.name': { stringValue: 'f1' },
    'Straße ☃': { stringValue: 's1' },
    deep: mapOf({ er: mapOf({ email: { stringValue: 'e1' } }) }),
    email: { stringValue: 'e2' },
  });
  const rules = [
    rule('contacts.*.phone', 'redact'),
    rule('cards[].number', 'redact'),
    rule('tags[]', 'redact'),
    rule('`first.name`', 'redact'),
    rule('Straße ☃', 'redact'),
    rule('**.email', 'redact'),
  ];
  const { fields, rules: found } = masked(rules, document);
  const text = JSON.stringify(fields);
  for (const gone of ['p1', 'n1', 't1', 'f1', 's1', 'e1', 'e2']) ok(!text.includes(`"${gone}"`), gone);
  for (const kept of ['k1', 'b1']) ok(text.includes(`"${kept}"`), kept);
  deepEqual([...found].sort(), [0, 1, 2, 3, 4, 5]);
});

test('precedence: a named field wins over a wildcard, and keep protects a field', () => {
  const document = documentOf('users/ada', {
    name: { stringValue: 'Ada' },
    createdAt: { timestampValue: time },
    address: mapOf({ country: { stringValue: 'DE' }, street: { stringValue: 'Elm 1' } }),
  });
  const { fields } = masked(
    [
      rule('**', 'redact'),
      rule('createdAt', 'keep', { collection: '*' }),
      rule('address', 'null'),
      rule('address.country', 'keep'),
    ],
    document,
  );
  deepEqual(JSON.parse(JSON.stringify(fields)), {
    name: { stringValue: '[redacted]' },
    createdAt: { timestampValue: '2023-11-14T22:13:20.123456Z' },
    address: { mapValue: { fields: { country: { stringValue: 'DE' }, street: { nullValue: null } } } },
  });
});

test('collections: subcollections, collection groups and single documents have rules of their own', () => {
  const document = (path: string) => documentOf(path, { email: { stringValue: 'a@b.c' } });
  const isMasked = (collection: string, path: string): boolean =>
    masked([rule('email', 'redact', { collection })], document(path), path).rules.size > 0;
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['users', 'users/a', true],
    ['users', 'users/a/orders/o', false],
    ['users/*/orders', 'users/a/orders/o', true],
    ['users/*/orders', 'shops/a/orders/o', false],
    ['users/a/orders', 'users/b/orders/o', false],
    ['users/a/orders', 'users/a/orders/o', true],
    ['**/orders', 'orders/o', true],
    ['**/orders', 'a/b/c/d/orders/o', true],
    ['**/orders', 'orders/o/items/i', false],
    ['users/**', 'users/a', true],
    ['users/**', 'users/a/orders/o/items/i', true],
    ['*', 'a/b/c/d', true],
    ['**', 'a/b', true],
    ['`or*ders`', 'or*ders/o', true],
  ];
  for (const [collection, path, expected] of cases) equal(isMasked(collection, path), expected, `${collection} for ${path}`);
});

test('consistency: the same input gives the same output in every field, collection and document of a job', () => {
  const masker = new DocumentMasker(new RuleSet([rule('**', 'hash', { collection: '**' })]), key);
  const textOf = (path: string, fields: Readonly<Record<string, Value>>, name: string): string => {
    const rest = restDocument(masker.mask(documentOf(path, fields), path)).fields as Record<string, Record<string, string>>;
    return Object.values(rest[name] ?? {})[0] ?? '';
  };
  const id = textOf('users/ada', { id: { stringValue: 'ada' } }, 'id');
  match(id, /^[0-9a-f]{32}$/);
  equal(textOf('orders/1', { customer: { stringValue: 'ada' } }, 'customer'), id);
  equal(textOf('orders/1', { customer: { referenceValue: `${root}/users/ada` } }, 'customer'), `${root}/users/${id}`);
  const other = new DocumentMasker(new RuleSet([rule('id', 'hash')]), Buffer.alloc(32, 8));
  const elsewhere = restDocument(other.mask(documentOf('users/ada', { id: { stringValue: 'ada' } }), 'users/ada')).fields;
  notEqual((elsewhere.id as { stringValue: string }).stringValue, id);
});

test('a document that no rule touches is the same object', () => {
  const document = documentOf('users/ada', { name: { stringValue: 'Ada' } });
  const masker = new DocumentMasker(new RuleSet([rule('email', 'redact'), rule('name', 'redact', { collection: 'shops' })]), key);
  equal(masker.mask(document, 'users/ada'), document);
  equal(masker.mask(document, 'orders/1'), document);
  deepEqual([masker.last.rules.size, masker.last.fields], [0, 0]);
});

test('unknown fields of the message are kept; a value of an unknown type is never let through', () => {
  const document = documentOf('users/ada', { name: { stringValue: 'Ada' } });
  const unknown = Buffer.from([0xfa, 0x06, 0x03, 1, 2, 3]);
  const { bytes } = masked([rule('name', 'redact')], Buffer.concat([document, unknown]));
  ok(bytes.subarray(-unknown.length).equals(unknown));
  // An entry `x` whose Value has field 30, which no version knows.
  const odd = Buffer.concat([document, Buffer.from([0x12, 0x08, 0x0a, 0x01, 0x78, 0x12, 0x03, 0xf0, 0x01, 0x01])]);
  throws(() => masked([rule('x', 'redact')], odd), ArchiveError);
  ok(masked([rule('name', 'redact')], odd).bytes.length > 0);
});

test('a document of 1 MiB with 20,000 values is masked value by value', () => {
  const values = Array.from({ length: 20_000 }, (_, n) =>
    mapOf({ n: { integerValue: BigInt(n) }, s: { stringValue: 'x'.repeat(30) } }),
  );
  const document = documentOf('users/ada', { rows: listOf(...values), note: { stringValue: 'kept' } });
  ok(document.length > 1 << 20);
  const { fields, bytes } = masked([rule('rows[].s', 'redact')], document);
  equal(bytes.length, document.length - 20_000 * 20);
  equal((fields.note as { stringValue: string }).stringValue, 'kept');
});

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.string({ unit: 'grapheme', maxLength: 300 }).map((stringValue): Value => ({ stringValue })),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((integerValue): Value => ({ integerValue })),
    fc.double().map((doubleValue): Value => ({ doubleValue })),
    fc.boolean().map((booleanValue): Value => ({ booleanValue })),
    fc.uint8Array({ maxLength: 300 }).map((bytes): Value => ({ bytesValue: Buffer.from(bytes) })),
    fc.constant<Value>({ nullValue: 0 }),
    fc.constant<Value>({ timestampValue: time }),
    fc.constant<Value>({ geoPointValue: point }),
    fc.constant<Value>({ referenceValue: `${root}/users/ada` }),
    fc.array(tie('value'), { maxLength: 4 }).map((values): Value => listOf(...values)),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'long'.repeat(40)), tie('value'), { maxKeys: 4 }).map(mapOf),
  ),
}));

/** The types of a value, without its contents. */
const shapeOf = (rest: unknown): unknown => {
  if (Array.isArray(rest)) return rest.map(shapeOf);
  if (typeof rest !== 'object' || rest === null) return '';
  return Object.fromEntries(Object.entries(rest).map(([name, inner]) => [name, shapeOf(inner)]));
};

test('property: types stay, fields that no rule names keep their bytes, and the result is a valid document', () => {
  const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value, { maxKeys: 4 });
  const chosen = fc.constantFrom('a', 'b', 'a.b', '*.c', 'a[]', '**.b', 'a.*.c');
  const how = fc.constantFrom<TransformRule['transform']>('redact', 'hash', 'fake');
  fc.assert(
    fc.property(fields, chosen, how, (given, path, transform) => {
      const document = documentOf('users/ada', given);
      const before = document.toString('hex');
      const { bytes } = masked([rule(path, transform, transform === 'fake' ? { type: 'text' } : {})], document);
      equal(document.toString('hex'), before);
      const [old, fresh] = [proto.Document.decode(document), proto.Document.decode(bytes)];
      deepEqual([fresh.name, fresh.createTime, fresh.updateTime], [old.name, old.createTime, old.updateTime]);
      if (!path.startsWith('*'))
        for (const [name, encoded] of old.fields)
          if (name !== path[0]) equal(Buffer.compare(fresh.fields.get(name) ?? Buffer.alloc(0), encoded), 0);
      // An empty point or time is shown as one without parts.
      const types = (one: Buffer) =>
        JSON.stringify(shapeOf(JSON.parse(JSON.stringify(restDocument(one).fields)))).replaceAll(
          /"(latitude|longitude)":"",?/g,
          '',
        );
      equal(types(bytes), types(document));
    }),
    { numRuns: 300 },
  );
});
