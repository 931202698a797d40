/** The field paths of a merge. */
import { deepEqual, equal } from 'node:assert/strict';
import firestore, { type Firestore as Client } from '@google-cloud/firestore';
import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { pathKey } from '../../../../infra/local/engines/firestore/base/path-key.ts';
import type { Firestore } from '../../../../infra/local/engines/firestore/index.ts';
import { proto, type Value } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { parseFieldPath } from '../../../../infra/local/engines/firestore/value/field-path.ts';
import { fieldMask, pathSegment } from '../../../../shared/firestore/document/field-mask.ts';
import { sameFields } from '../../../../shared/firestore/index.ts';
import { BatchWriter } from '../../../../shared/firestore/write/batch-writer.ts';
import { anyCharacter } from '../../../harness/builders/any-character.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { clientOf } from '../../../harness/firestore/firestore-client.ts';
import { name, root, sourceOf, startServer } from '../../../harness/firestore/firestore-server.ts';

const encode = (value: Value): Uint8Array => proto.Value.encode(value);
const text = encode({ stringValue: 'x' });
const map = (entries: Record<string, Uint8Array>): Uint8Array =>
  encode({ mapValue: { fields: new Map(Object.entries(entries)) } });
const maskOf = (fields: Record<string, Uint8Array>): readonly string[] =>
  fieldMask(proto.Document.encode({ name: `${root}/c/d`, fields: new Map(Object.entries(fields)) }));

/** Names that need quoting: each stands for itself between backticks. */
const names = [
  'a',
  'B_2',
  '_x',
  '2a',
  'a.b',
  '`',
  '\\',
  '.',
  '\\`',
  '*~[]/',
  ' ',
  '\u00a0',
  '\u{1f600}',
  'constructor',
  'a-b',
  '__x',
];

test('fieldMask: maps are merged by field; arrays and empty maps are written whole', () => {
  const array = encode({ arrayValue: { values: [map({ b: text })] } });
  deepEqual(maskOf({}), []);
  deepEqual(maskOf({ a: text, b: map({ c: text, d: map({ e: array }) }), f: array }), ['a', 'b.c', 'b.d.e', 'f']);
  deepEqual(maskOf({ a: map({}), b: map({ c: map({}) }) }), ['a', 'b.c']);
});

test('fieldMask: a vector is one value', () => {
  const vector = map({
    __type__: encode({ stringValue: '__vector__' }),
    value: encode({ arrayValue: { values: [encode({ doubleValue: 1 })] } }),
  });
  deepEqual(maskOf({ v: vector, m: map({ v: vector, w: text }) }), ['v', 'm.v', 'm.w']);
});

test('pathSegment: a name is plain or quoted, and parses to itself', () => {
  equal(pathSegment('plain_1'), 'plain_1');
  equal(pathSegment('.'), '`.`');
  equal(pathSegment('`'), '`\\``');
  equal(pathSegment('\\'), '`\\\\`');
  const path = fc.array(fc.oneof(fc.constantFrom(...names), fc.string({ minLength: 1, unit: anyCharacter })), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(path, (segments) => {
      fc.pre(!segments.some((one) => /^__.*__$/s.test(one)) && Buffer.byteLength(segments.join('')) < 300);
      const value = segments.slice(1).reduceRight<Uint8Array>((inner, one) => map({ [one]: inner }), text);
      const [only, ...others] = fieldMask(
        proto.Document.encode({ name: `${root}/c/d`, fields: new Map([[segments[0]!, value]]) }),
      );
      deepEqual(others, []);
      deepEqual(parseFieldPath(only!), segments);
    }),
  );
});

let server: Firestore;
let client: Client;
beforeAll(async () => {
  server = await startServer();
  client = clientOf(server);
});
afterAll(async () => {
  await client.terminate();
  await server.stop();
});

const { data } = fc.letrec<{ value: unknown; data: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 1, 2.5, 'text', new Date(1_700_000_000_000), firestore.FieldValue.vector([1, 0.5])),
    fc.constant(Buffer.from('bytes')),
    tie('data'),
    fc.array(fc.oneof(fc.constantFrom<unknown>(1, 'x'), tie('data')), { maxLength: 2 }),
  ),
  data: fc.dictionary(fc.constantFrom('a', 'b', 'c', ...names), tie('value'), { maxKeys: 5 }),
}));
const invalidArgument = 3;
const stored = (path: string): Buffer => {
  const database = server.databases.open(name);
  return Buffer.from(database.get(pathKey(path), database.readTime())!.bytes);
};

test('merge: equals set with merge of the official client and keeps all other fields', async () => {
  const source = sourceOf(server.url);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(data, data, fc.boolean(), async (there, merged, isThere) => {
      run += 1;
      const [theirs, ours, given] = [client.doc(`theirs/${run}`), client.doc(`ours/${run}`), client.doc(`given/${run}`)];
      await given.set(merged);
      if (isThere) await Promise.all([theirs.set(there), ours.set(there)]);
      // The only rejected merge: an entry added to a vector.
      const refused = await theirs.set(merged, { merge: true }).then(
        () => false,
        (error: { code?: number }) => {
          if (error.code !== invalidArgument) throw error;
          return true;
        },
      );
      const document = proto.Document.decode(stored(`given/${run}`));
      const writer = new BatchWriter(source);
      await writer.put(proto.Document.encode({ ...document, name: `${root}/ours/${run}` }), 'merge');
      const { failures, ...counts } = await writer.end();
      deepEqual(counts, { given: 1, written: refused ? 0 : 1, deleted: 0, skipped: 0, failed: refused ? 1 : 0 });
      deepEqual(
        failures.map(({ code }) => code),
        refused ? ['INVALID_ARGUMENT'] : [],
      );
      equal(sameFields(stored(`ours/${run}`), stored(`theirs/${run}`)), true);
    }),
    // The last one: a map merged into a vector.
    {
      numRuns: propertyRuns({ quick: 40, usual: 120 }),
      examples: [[{ v: firestore.FieldValue.vector([1, 0.5]) }, { v: { a: null } }, true]],
    },
  );
  source.close();
});

test('merge: a path too long for Firestore fails only its document, which is not written', async () => {
  const source = sourceOf(server.url);
  const writer = new BatchWriter(source);
  const long = map({ ['m'.repeat(800)]: map({ ['n'.repeat(800)]: text }) });
  await writer.put(proto.Document.encode({ name: `${root}/long/1`, fields: new Map([['l', long]]) }), 'merge');
  await writer.put(proto.Document.encode({ name: `${root}/long/2`, fields: new Map([['l', text]]) }), 'merge');
  const { written, failures } = await writer.end();
  equal(written, 1);
  deepEqual(
    failures.map(({ path, code }) => [path, code]),
    [['long/1', 'INVALID_ARGUMENT']],
  );
  source.close();
});
