/** Detects before the write whether a merge would change anything. */
import { deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { pathKey } from '../../../../infra/local/engines/firestore/base/path-key.ts';
import type { Firestore } from '../../../../infra/local/engines/firestore/index.ts';
import { proto, type Value } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { BatchWriter, isMergeNoop, sameFields } from '../../../../shared/firestore/index.ts';
import { name, root, sourceOf, startServer } from '../../../harness/firestore/firestore-server.ts';

const encode = (value: Value): Uint8Array => proto.Value.encode(value);
const text = (stringValue: string): Uint8Array => encode({ stringValue });
const map = (entries: Fields): Uint8Array => encode({ mapValue: { fields: new Map(Object.entries(entries)) } });
const array = (...values: Uint8Array[]): Uint8Array => encode({ arrayValue: { values } });
const vector = (...values: number[]): Uint8Array =>
  map({ __type__: text('__vector__'), value: array(...values.map((doubleValue) => encode({ doubleValue }))) });
type Fields = Record<string, Uint8Array>;
const document = (fields: Fields, path = 'c/d'): Uint8Array =>
  proto.Document.encode({ name: `${root}/${path}`, fields: new Map(Object.entries(fields)) });
const isNoop = (archived: Fields, live: Fields): boolean => isMergeNoop(document(archived), document(live));

const x = text('x');
const y = text('y');

test('isMergeNoop: extra live fields do not matter; missing and different ones do', () => {
  equal(isNoop({ a: x }, { a: x }), true);
  equal(isNoop({ a: x }, { b: y, a: x }), true);
  equal(isNoop({ a: x }, { b: y }), false);
  equal(isNoop({ a: x }, { a: y }), false);
  equal(isNoop({ a: encode({ integerValue: 1n }) }, { a: encode({ doubleValue: 1 }) }), false);
  equal(isNoop({}, { a: x }), true);
  equal(isNoop({ constructor: x }, {}), false);
  equal(isNoop({ a: map({ toString: x }) }, { a: map({}) }), false);
});

test('isMergeNoop: maps compare by field; arrays, empty maps and vectors as a whole', () => {
  equal(isNoop({ a: map({ b: x }) }, { a: map({ b: x, c: y }) }), true);
  equal(isNoop({ a: map({ b: x }) }, { a: map({ c: y }) }), false);
  equal(isNoop({ a: map({ b: x }) }, { a: x }), false);
  equal(isNoop({ a: map({ b: map({ c: x }) }) }, { a: map({ b: map({ d: y, c: x }), e: y }) }), true);
  equal(isNoop({ a: map({}) }, { a: map({ b: x }) }), false);
  equal(isNoop({ a: map({}) }, { a: map({}) }), true);
  equal(isNoop({ a: array(x) }, { a: array(x, y) }), false);
  equal(isNoop({ a: array(map({ b: x, c: y })) }, { a: array(map({ c: y, b: x })) }), true);
  equal(isNoop({ a: array(map({ b: x })) }, { a: array(map({ b: x, c: y })) }), false);
  equal(isNoop({ v: vector(1, 2) }, { v: vector(1, 2), w: x }), true);
  equal(isNoop({ v: vector(1) }, { v: vector(1, 2) }), false);
});

let server: Firestore;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const { fields } = fc.letrec<{ value: Uint8Array; fields: Fields }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(x, y, encode({ integerValue: 1n }), encode({ doubleValue: 1 }), map({}), array(), vector(1), vector(2)),
    tie('fields').map(map),
    tie('fields').map((entries) => array(map(entries), x)),
  ),
  fields: fc.dictionary(fc.constantFrom('a', 'b', 'a.b', '`', 'constructor'), tie('value'), { maxKeys: 3 }),
}));

test('isMergeNoop: is true exactly if the written merge leaves every field unchanged', async () => {
  const source = sourceOf(server.url);
  const database = server.databases.open(name);
  const stored = (path: string): Uint8Array => database.get(pathKey(path), database.readTime())!.bytes;
  const seen = { true: 0, false: 0 };
  let run = 0;
  const near = fc.tuple(fields, fields).chain(([a, b]) => fc.constantFrom([a, b], [a, { ...b, ...a }], [a, a]));
  await fc.assert(
    fc.asyncProperty(near, async ([archived, live]) => {
      const path = `merged/${++run}`;
      const writer = new BatchWriter(source);
      await writer.put(document(live!, path), 'overwrite');
      await writer.flush();
      const before = stored(path);
      await writer.put(document(archived!, path), 'merge');
      const { failed } = await writer.end();
      // The only rejected merge: an entry added to a vector.
      const isSame = failed === 0 && sameFields(before, stored(path));
      const tells = isMergeNoop(document(archived!, path), before);
      seen[`${tells}`] += 1;
      equal(tells, isSame);
    }),
    { numRuns: 200 },
  );
  deepEqual([seen.true > 20, seen.false > 20], [true, true]);
  source.close();
});
