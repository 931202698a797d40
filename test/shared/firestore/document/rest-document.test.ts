/** Encoded documents convert to REST JSON exactly: nothing is lost or misread. */
import { deepEqual, equal, notEqual, ok, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, test } from 'vitest';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { jsonOfMessage } from '../../../../infra/local/engines/firestore/web/encode-json.ts';
import { probeSource, readRange, restDocument, sameFields } from '../../../../shared/firestore/index.ts';
import { anyCharacter } from '../../../harness/builders/any-character.ts';
import { clientOf } from '../../../harness/firestore/firestore-client.ts';
import { root, sourceOf, startServer } from '../../../harness/firestore/firestore-server.ts';

type Value = Parameters<typeof proto.Value.encode>[0];

const time = fc.record({
  seconds: fc.bigInt({ min: -62_135_596_800n, max: 253_402_300_799n }),
  nanos: fc.oneof(fc.constantFrom(0, 1, 120_000_000, 123_456_000, 999_999_999), fc.integer({ min: 0, max: 999_999_999 })),
});
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('', '__proto__', 'constructor', 'fields', 'stringValue', '10', '9'),
);
const double = fc.oneof(fc.double(), fc.constantFrom(-0, 0, 3, Number.NaN, Infinity, -Infinity, 5e-324, 1.7976931348623157e308));
const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(0n, -1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)),
);
const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constant<Value>({ nullValue: 'NULL_VALUE' }),
    fc.boolean().map((booleanValue): Value => ({ booleanValue })),
    int64.map((integerValue): Value => ({ integerValue })),
    double.map((doubleValue): Value => ({ doubleValue })),
    time.map((timestampValue): Value => ({ timestampValue })),
    text.map((stringValue): Value => ({ stringValue })),
    fc.uint8Array().map((bytesValue): Value => ({ bytesValue })),
    text.map((referenceValue): Value => ({ referenceValue })),
    fc.record({ latitude: double, longitude: double }).map((geoPointValue): Value => ({ geoPointValue })),
    fc.array(tie('value'), { maxLength: 4 }).map((list): Value => ({ arrayValue: { values: list.map(proto.Value.encode) } })),
    fc.array(fc.tuple(text, tie('value')), { maxLength: 4 }).map((entries): Value => ({ mapValue: { fields: mapOf(entries) } })),
  ),
}));
const mapOf = (entries: readonly (readonly [string, Value])[]): Map<string, Uint8Array> =>
  new Map(entries.map(([name, one]) => [name, proto.Value.encode(one)]));
const entries = fc.array(fc.tuple(text, value), { maxLength: 6 });
const name = `${root}/a/b`;

test('restDocument: any document equals the REST response of the server', () => {
  fc.assert(
    fc.property(entries, time, time, (list, createTime, updateTime) => {
      const bytes = proto.Document.encode({ name, fields: mapOf(list), createTime, updateTime });
      const { fields = {}, ...rest } = jsonOfMessage('Document', bytes, 'name') as { fields?: unknown };
      equal(canonical(restDocument(bytes)), canonical({ ...rest, fields }));
    }),
    { numRuns: 400 },
  );
});

/** Sorts keys: the order may differ. */
const canonical = (json: unknown): string =>
  JSON.stringify(json, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one) && !Object.isFrozen(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  ).replaceAll('"__proto__"', '"proto"');

test('restDocument: __proto__ is an ordinary field name', () => {
  const inner = proto.Value.encode({ mapValue: { fields: mapOf([['__proto__', { stringValue: 'x' }]]) } });
  const json = JSON.stringify(restDocument(proto.Document.encode({ name, fields: new Map([['__proto__', inner]]) })));
  ok(json.includes('"__proto__":{"mapValue":{"fields":{"__proto__":{"stringValue":"x"}}}}'), json);
  equal(({} as { mapValue?: unknown }).mapValue, undefined);
});

test('restDocument: numbers keep type and value as text', () => {
  const json = (one: Value): string =>
    JSON.stringify(restDocument(proto.Document.encode({ name, fields: mapOf([['n', one]]) })).fields.n);
  equal(json({ doubleValue: -0 }), '{"doubleValue":-0}');
  equal(json({ doubleValue: 3 }), '{"doubleValue":3}');
  equal(json({ doubleValue: Number.NaN }), '{"doubleValue":"NaN"}');
  equal(json({ doubleValue: -Infinity }), '{"doubleValue":"-Infinity"}');
  equal(json({ integerValue: 9007199254740993n }), '{"integerValue":"9007199254740993"}');
  equal(json({ integerValue: -(2n ** 63n) }), '{"integerValue":"-9223372036854775808"}');
});

test('restDocument: values of unknown types are kept whole', () => {
  // Field 29 of Value, a text.
  const future = Buffer.from([0xea, 0x01, 0x03, 0x61, 0x62, 0x63]);
  const bytes = proto.Document.encode({ name, fields: new Map([['f', future]]) });
  deepEqual(restDocument(bytes).fields.f, { unknownValue: future.toString('base64') });
  const nested = proto.Value.encode({ arrayValue: { values: [future, proto.Value.encode({ integerValue: 1n })] } });
  deepEqual(restDocument(proto.Document.encode({ name, fields: new Map([['f', nested]]) })).fields.f, {
    arrayValue: { values: [{ unknownValue: future.toString('base64') }, { integerValue: '1' }] },
  });
});

test('sameFields: ignores field order and distinguishes types and values', () => {
  fc.assert(
    fc.property(entries, (list) => {
      const shuffled = [...mapOf(list)].reverse();
      ok(
        sameFields(
          proto.Document.encode({ name, fields: mapOf(list) }),
          proto.Document.encode({ name: `${name}x`, fields: new Map(shuffled), updateTime: { seconds: 1n, nanos: 0 } }),
        ),
      );
    }),
    { numRuns: 200 },
  );
  const nested = (keys: readonly string[]): Value => ({
    mapValue: { fields: mapOf(keys.map((key): [string, Value] => [key, { stringValue: key }])) },
  });
  const of = (one: Value): Uint8Array => proto.Document.encode({ name, fields: mapOf([['f', one]]) });
  ok(sameFields(of(nested(['a', 'b', '__proto__'])), of(nested(['__proto__', 'b', 'a']))));
  const different: readonly (readonly [Value, Value])[] = [
    [{ doubleValue: 3 }, { integerValue: 3n }],
    [{ doubleValue: 0 }, { doubleValue: -0 }],
    [{ stringValue: '3' }, { integerValue: 3n }],
    [{ stringValue: 'YQ==' }, { bytesValue: Buffer.from('a') }],
    [{ nullValue: 'NULL_VALUE' }, { mapValue: { fields: new Map() } }],
    [{ arrayValue: { values: [] } }, { mapValue: { fields: new Map() } }],
    [{ timestampValue: { seconds: 1n, nanos: 0 } }, { timestampValue: { seconds: 1n, nanos: 1 } }],
    [nested(['a', 'b']), nested(['a', 'c'])],
    [nested(['a', 'b']), nested(['a'])],
  ];
  for (const [a, b] of different)
    equal(sameFields(of(a), of(b)), false, JSON.stringify([restDocument(of(a)), restDocument(of(b))]));
});

test('restDocument: rejects invalid bytes, however deep or truncated', () => {
  let deep = proto.Value.encode({ nullValue: 'NULL_VALUE' });
  for (let i = 0; i < 5_000; i++) deep = proto.Value.encode({ arrayValue: { values: [deep] } });
  const invalid = { name: 'ArchiveError', code: 'record-invalid' };
  throws(() => restDocument(proto.Document.encode({ name, fields: new Map([['f', deep]]) })), invalid);
  const whole = Buffer.from(proto.Document.encode({ name, fields: mapOf([['f', { doubleValue: 1 }]]) }));
  for (let length = 1; length < whole.length; length++)
    try {
      restDocument(whole.subarray(0, length));
    } catch (error) {
      equal((error as { code?: string }).code, 'record-invalid');
    }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        notEqual(restDocument(bytes), undefined);
      } catch (error) {
        equal((error as { code?: string }).code, 'record-invalid');
      }
    }),
  );
});

test('restDocument: reads documents of the official client as written', async () => {
  const server = await startServer();
  const source = sourceOf(server.url);
  const client = clientOf(server);
  afterAll(async () => {
    source.close();
    await client.terminate();
    await server.stop();
  });
  await client
    .doc('people/ada')
    .set({ born: new Date(-4_862_160_000_000), pi: 3.5, three: 3, data: Buffer.from([0, 255]), tags: [] });
  const { readTime } = await probeSource(source);
  for await (const batch of readRange(source, { range: {}, readTime })) {
    const { fields, createTime, updateTime, name: of } = restDocument(batch.document(0));
    deepEqual(
      { ...fields },
      {
        born: { timestampValue: '1815-12-05T00:00:00Z' },
        data: { bytesValue: 'AP8=' },
        pi: { doubleValue: 3.5 },
        tags: { arrayValue: {} },
        three: { integerValue: '3' },
      },
    );
    equal(of, `${root}/people/ada`);
    ok(createTime && createTime === updateTime && /^20\d\d-/.test(createTime));
  }
});
