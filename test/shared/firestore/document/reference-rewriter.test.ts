/** References into the source become references into the target, and nothing else changes. */
import { deepEqual, equal, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { proto, type Value } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { ArchiveError } from '../../../../shared/archive/index.ts';
import { referenceRewriter } from '../../../../shared/firestore/document/reference-rewriter.ts';

const source = 'projects/demo/databases/(default)';
const encode = (value: Value): Uint8Array => proto.Value.encode(value);
const timestamp = { seconds: 1_700_000_000n, nanos: 123_456_000 };
const documentOf = (database: string, path: string, fields: ReadonlyMap<string, Uint8Array>): Buffer =>
  Buffer.from(
    proto.Document.encode({
      name: `${database}/documents/${path}`,
      fields: new Map(fields),
      createTime: timestamp,
      updateTime: timestamp,
    }),
  );

/** Builds the value for a database, once for each. */
type Shape = (database: string) => Value;
const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(
      // Long paths push lengths over 127 and over 16,383 bytes.
      fc.record({ collection: fc.stringMatching(/^[a-z]{1,4}$/), length: fc.constantFrom(1, 40, 90, 130, 1_400) }).map(
        ({ collection, length }): Shape =>
          (database) => ({ referenceValue: `${database}/documents/${collection}/${'i'.repeat(length)}` }),
      ),
      fc
        .constantFrom(
          'projects/other/databases/(default)/documents/a/b',
          'projects/demo/databases/second/documents/a/b',
          'projects/demo-2/databases/(default)/documents/a/b',
          'projects/demo/databases/(default)-2/documents/a/b',
        )
        .map(
          (referenceValue): Shape =>
            () => ({ referenceValue }),
        ),
      fc.nat(20_000).map(
        (length): Shape =>
          () => ({ bytesValue: Buffer.alloc(length) }),
      ),
      fc.constant<Shape>(() => ({ stringValue: `${source}/documents/a/b` })),
      fc.constant<Shape>(() => ({ bytesValue: Buffer.from(`${source}/documents/${source}/documents/`) })),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(
        (integerValue): Shape =>
          () => ({ integerValue }),
      ),
    ),
    fc.array(tie('shape'), { maxLength: 4 }).map(
      (shapes): Shape =>
        (database) => ({ arrayValue: { values: shapes.map((one) => encode(one(database))) } }),
    ),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', `${source}/documents/key`, 'long'.repeat(30)), tie('shape')), { maxLength: 4 })
      .map(
        (entries): Shape =>
          (database) => ({ mapValue: { fields: new Map(entries.map(([name, one]) => [name, encode(one(database))])) } }),
      ),
  ),
}));

test('referenceRewriter: a document becomes byte for byte the one of the other database', () => {
  const fields = fc.array(fc.tuple(fc.string({ maxLength: 200, minLength: 1 }), shape), { maxLength: 5 });
  const target = fc.constantFrom(
    'projects/d/databases/e',
    'projects/omed/databases/(default)',
    `projects/${'long-'.repeat(5)}id/databases/${'d'.repeat(60)}`,
  );
  fc.assert(
    fc.property(fields, target, (shapes, to) => {
      const of = (database: string) => new Map(shapes.map(([name, one]) => [name, encode(one(database))]));
      const given = documentOf(source, 'c/d', of(source));
      const before = given.toString('hex');
      equal(referenceRewriter(source, to)(given).toString('hex'), documentOf(to, 'c/d', of(to)).toString('hex'));
      equal(given.toString('hex'), before);
      equal(referenceRewriter(to, source)(referenceRewriter(source, to)(given)).toString('hex'), before);
    }),
    { numRuns: 300 },
  );
});

test('referenceRewriter: within one database a document stays the same object', () => {
  const document = documentOf(source, 'c/d', new Map([['r', encode({ referenceValue: `${source}/documents/a/b` })]]));
  equal(referenceRewriter(source, source)(document), document);
});

test('referenceRewriter: values of unknown types are kept, whatever they look like', () => {
  const unknown = Buffer.concat([
    Buffer.from([0x82, 0x06, `${source}/documents/a`.length]),
    Buffer.from(`${source}/documents/a`),
  ]);
  const to = 'projects/other/databases/x';
  const given = documentOf(source, 'c/d', new Map([['later', unknown]]));
  equal(
    referenceRewriter(source, to)(given).toString('hex'),
    documentOf(to, 'c/d', new Map([['later', unknown]])).toString('hex'),
  );
});

test('referenceRewriter: rejects invalid documents and documents of another database', () => {
  const rewrite = referenceRewriter(source, 'projects/b/databases/c');
  const invalid = (error: unknown) => error instanceof ArchiveError && error.code === 'record-invalid';
  throws(() => rewrite(documentOf('projects/c/databases/d', 'c/d', new Map())), invalid);
  throws(() => rewrite(documentOf(`${source}-2`, 'c/d', new Map())), invalid);
  throws(() => rewrite(Buffer.alloc(0)), invalid);
  const good = documentOf(source, 'c/d', new Map([['r', encode({ referenceValue: `${source}/documents/a/b` })]]));
  // After its name it is a document again, without fields.
  const boundary = 2 + `${source}/documents/c/d`.length;
  for (let cut = 1; cut < good.length - 30; cut++)
    if (cut !== boundary) throws(() => rewrite(good.subarray(0, cut)), invalid, String(cut));
});

test('referenceRewriter: rejects endlessly nested maps', () => {
  let value: Uint8Array = encode({ referenceValue: `${source}/documents/a/b` });
  for (let depth = 0; depth < 3_000; depth++) value = encode({ mapValue: { fields: new Map([['m', value]]) } });
  throws(
    () => referenceRewriter(source, 'projects/b/databases/c')(documentOf(source, 'c/d', new Map([['m', value]]))),
    ArchiveError,
  );
});

test('referenceRewriter: rewrites references at every position', () => {
  const to = 'projects/other/databases/second';
  const reference = (database: string) => encode({ referenceValue: `${database}/documents/users/ada` });
  const fields = (database: string) =>
    new Map([
      ['direct', reference(database)],
      ['list', encode({ arrayValue: { values: [reference(database), encode({ nullValue: 'NULL_VALUE' })] } })],
      [
        'map',
        encode({
          mapValue: { fields: new Map([['list', encode({ arrayValue: { values: [reference(database)] } })]]) },
        }),
      ],
      // A reference to a collection, as some tools write them.
      ['collection', encode({ referenceValue: `${database}/documents/users` })],
    ]);
  deepEqual(referenceRewriter(source, to)(documentOf(source, 'c/d', fields(source))), documentOf(to, 'c/d', fields(to)));
});
