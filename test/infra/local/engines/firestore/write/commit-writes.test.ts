import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { RpcError } from '../../../../../../infra/local/engines/firestore/base/types.ts';
import { WireWriter } from '../../../../../../infra/local/engines/firestore/proto/wire-writer.ts';
import { project } from '../../../../../../infra/local/engines/firestore/value/field-mask.ts';
import { formatFieldPath, parseFieldPath } from '../../../../../../infra/local/engines/firestore/value/field-path.ts';
import { batchWrites, parseWrite } from '../../../../../../infra/local/engines/firestore/write/commit-writes.ts';
import {
  commit,
  document,
  documentJson,
  fieldsOf,
  get,
  holds,
  type Json,
  makeDatabase,
  remove,
  root,
  set,
  write,
} from '../../../../../harness/firestore/encoded.ts';

const int = (value: number | string) => ({ integerValue: String(value) });
const text = (stringValue: string) => ({ stringValue });
const map = (fields: Json) => ({ mapValue: { fields } });
const array = (...values: Json[]) => ({ arrayValue: { values } });
const mask = (...fieldPaths: string[]) => ({ updateMask: { fieldPaths } });
const now = (paths: string) => `${root}/${paths}`;

const rejects = (run: Promise<unknown>, code: string, message: string) =>
  assert.rejects(run, (error: RpcError) => {
    assert.ok(error instanceof RpcError, String(error));
    assert.equal(error.message, message);
    assert.equal(error.code, code);
    return true;
  });
const refuses = async (t: Parameters<typeof makeDatabase>[0], bytes: Uint8Array, message: string) => {
  const database = makeDatabase(t);
  await rejects((async () => commit(database, bytes))(), 'INVALID_ARGUMENT', message);
  assert.equal(database.size, 0);
};

test('commit: preconditions are checked, with production’s messages', async (t) => {
  const database = makeDatabase(t);
  const { commitTime } = await commit(database, set('c/d', { a: int(1) }, { currentDocument: { exists: false } }));
  await rejects(
    commit(database, set('c/d', {}, { currentDocument: { exists: false } })),
    'ALREADY_EXISTS',
    `Document already exists: ${now('c/d')}`,
  );
  for (const bytes of [
    set('c/none', {}, { currentDocument: { exists: true } }),
    remove('c/none', { currentDocument: { exists: true } }),
  ])
    await rejects(commit(database, bytes), 'NOT_FOUND', `No document to update: ${now('c/none')}`);
  const at = (micros: number) => ({
    currentDocument: { updateTime: { seconds: String(Math.floor(micros / 1e6)), nanos: (micros % 1e6) * 1000 } },
  });
  await rejects(
    commit(database, set('c/d', {}, at(commitTime - 1))),
    'FAILED_PRECONDITION',
    `the stored version (${commitTime}) does not match the required base version (${commitTime - 1})`,
  );
  await rejects(
    commit(database, set('c/none', {}, at(1577836800000000))),
    'FAILED_PRECONDITION',
    'the stored version (0) does not match the required base version (1577836800000000)',
  );
  await rejects(
    commit(database, set('c/d', {}, at(commitTime + 3600e6))),
    'INVALID_ARGUMENT',
    "The required 'update_time' cannot be in the future.",
  );
  await commit(database, set('c/d', { a: int(2) }, at(commitTime)));
  await commit(database, remove('c/d', { currentDocument: { exists: true } }));
  assert.equal(get(database, 'c/d'), undefined);
});

test('commit: it is atomic, and later writes see earlier ones', async (t) => {
  const database = makeDatabase(t);
  await assert.rejects(commit(database, set('c/1', {}), set('c/2', {}, { currentDocument: { exists: true } })), {
    code: 'NOT_FOUND',
  });
  assert.equal(database.size, 0);
  const { commitTime, results } = await commit(
    database,
    set('c/1', { a: int(1) }),
    set('c/1', { b: int(2) }, { ...mask('b'), currentDocument: { exists: true } }),
    set('c/2', {}),
    remove('c/2'),
  );
  assert.deepEqual(
    results.map(({ updateTime }) => updateTime),
    [commitTime, commitTime, commitTime, undefined],
  );
  assert.deepEqual(fieldsOf(get(database, 'c/1')?.bytes), { a: int(1), b: int(2) });
  assert.equal(get(database, 'c/2'), undefined);
});

test('commit: a write without effect keeps the update time, in any field order', async (t) => {
  const database = makeDatabase(t);
  const first = await commit(
    database,
    set('c/d', { a: int(1), m: map({ x: text('é'), y: array(map({ p: int(1), q: int(2) })) }) }),
  );
  const again = await commit(
    database,
    set('c/d', { m: map({ y: array(map({ q: int(2), p: int(1) })), x: text('é') }), a: int(1) }),
  );
  assert.ok(again.commitTime > first.commitTime);
  assert.equal(again.results[0]?.updateTime, first.commitTime);
  assert.equal(get(database, 'c/d')?.updateTime, first.commitTime);
  // 1 and 1.0 are equal but not identical.
  const other = await commit(database, set('c/d', { a: { doubleValue: 1 } }, mask('a')));
  assert.equal(other.results[0]?.updateTime, other.commitTime);
});

test('commit: fields keep their bytes, including unknown value types', async (t) => {
  const database = makeDatabase(t);
  const unknown = new WireWriter().field(103, 'a type of tomorrow').finish();
  const entries = [
    new WireWriter().field(1, 'z').field(2, unknown).finish(),
    new WireWriter().field(2, new WireWriter().double(3, -0).finish()).field(1, 'value before name').finish(),
  ];
  const fields = entries.reduce((writer, entry) => writer.field(2, entry), new WireWriter()).finish();
  const doc = new WireWriter().field(1, now('c/d')).raw(fields).finish();
  await commit(database, new WireWriter().field(1, doc).finish());
  const stored = get(database, 'c/d')!.bytes;
  assert.ok(Buffer.from(stored).includes(fields));
  await commit(database, set('c/d', { a: int(1) }, mask('a')));
  assert.ok(Buffer.from(get(database, 'c/d')!.bytes).includes(unknown));
});

test('commit: the last of two equal names wins, and timestamps are truncated to microseconds', async (t) => {
  const database = makeDatabase(t);
  const entry = (name: string, value: Json) => {
    const one = document('c/d', { [name]: value });
    return one.subarray(Buffer.byteLength(now('c/d')) + 2);
  };
  const doc = new WireWriter()
    .field(1, now('c/d'))
    .raw(entry('a', int(1)))
    .raw(entry('a', int(2)))
    .raw(entry('m', map({ t: { timestampValue: { seconds: '1', nanos: 123_456_789 } } })));
  await commit(database, new WireWriter().field(1, doc.finish()).finish());
  const { bytes } = get(database, 'c/d')!;
  assert.deepEqual(fieldsOf(bytes), { a: int(2), m: map({ t: { timestampValue: { seconds: '1', nanos: 123_456_000 } } }) });
  assert.equal(Buffer.from(bytes).toString('latin1').split('\x0a\x01a').length, 2);
});

test('commit: the earliest and latest timestamps are kept to the microsecond', async (t) => {
  const database = makeDatabase(t);
  const time = (seconds: string, nanos: number) => ({ timestampValue: { seconds, nanos } });
  const [first, last] = ['-62135596800', '253402300799'];
  await commit(database, set('c/d', { fine: time('1', 123_456_789), first: time(first, 1_000), last: time(last, 999_999_000) }));
  assert.deepEqual(fieldsOf(get(database, 'c/d')!.bytes), {
    fine: time('1', 123_456_000),
    first: time(first, 1_000),
    last: time(last, 999_999_000),
  });
  await commit(database, set('c/e', { first: time(first, 1_999), last: time(last, 999_999_999) }));
  assert.deepEqual(fieldsOf(get(database, 'c/e')!.bytes), { first: time(first, 1_000), last: time(last, 999_999_000) });
});

test('commit: a mask sets its fields, removes missing ones, and keeps the rest', async (t) => {
  const database = makeDatabase(t);
  const apply = async (fields: Json, ...paths: string[]) => {
    await commit(database, set('c/d', fields, mask(...paths)));
    return fieldsOf(get(database, 'c/d')?.bytes);
  };
  // On a missing document only the fields of the mask are created.
  assert.deepEqual(await apply({ a: int(1), b: map({ x: int(1) }) }, 'b.x'), { b: map({ x: int(1) }) });
  assert.deepEqual(await apply({ b: map({ y: int(2) }) }, 'b.y'), { b: map({ x: int(1), y: int(2) }) });
  assert.deepEqual(await apply({}, 'b.x', 'none', 'none.x'), { b: map({ y: int(2) }) });
  // Emptied maps stay; other values are replaced by maps.
  assert.deepEqual(await apply({}, 'b.y'), { b: { mapValue: {} } });
  assert.deepEqual(await apply({ b: text('s') }, 'b'), { b: text('s') });
  assert.deepEqual(await apply({ b: map({ deep: map({ er: int(1) }) }) }, 'b.deep.er'), {
    b: map({ deep: map({ er: int(1) }) }),
  });
  assert.deepEqual(await apply({ 'a.b': map({ 'c`d\\': int(1) }) }, '`a.b`.`c\\`d\\\\`'), {
    b: map({ deep: map({ er: int(1) }) }),
    'a.b': map({ 'c`d\\': int(1) }),
  });
  assert.deepEqual(await apply({ x: int(1) }, '__name__'), fieldsOf(get(database, 'c/d')?.bytes));
  // An empty mask creates an empty document, or changes nothing.
  await commit(database, set('c/empty', { a: int(1) }, mask()));
});

test('field paths: formatting and parsing are inverse', (t) =>
  holds(
    t,
    fc.property(
      fc.array(
        fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }).filter((name) => !/^__.*__$/s.test(name)),
        { minLength: 1, maxLength: 4 },
      ),
      (path) => assert.deepEqual(parseFieldPath(formatFieldPath(path)), path),
    ),
    500,
  ));

test('field mask: a read mask returns its fields with name and times', async (t) => {
  const database = makeDatabase(t);
  await commit(database, set('c/d', { a: int(1), b: map({ x: int(1), y: int(2) }), c: int(3) }));
  const { bytes } = get(database, 'c/d')!;
  const { fields: _, ...head } = documentJson(bytes);
  assert.deepEqual(documentJson(project(bytes, [['b', 'x'], ['c'], ['none']])), {
    ...head,
    fields: { b: map({ x: int(1) }), c: int(3) },
  });
  assert.deepEqual(documentJson(project(bytes, [])), head);
});

const grammar =
  'Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), and quoted property paths must match regex (`(?:[^`\\\\]|(?:\\\\.))+`)';
const long = 'x'.repeat(1_048_488);
const deep = (levels: number): Json => (levels === 0 ? int(1) : map({ a: deep(levels - 1) }));
/** Recorded answers of production. */
const refusals: [string, Uint8Array, string][] = [
  ['no operation', write({}), 'empty write operation'],
  ['a malformed name', write({ update: { name: now('c') } }), `Document name "${now('c')}" lacks "/" at index 42.`],
  [
    'another database',
    write({ delete: 'projects/p/databases/other/documents/c/d' }),
    "The request was for database 'projects/p/databases/(default)' but was attempting to access database 'projects/p/databases/other'",
  ],
  ['an id too long', set(`c/${'d'.repeat(1501)}`, {}), 'The key path element name is longer than 1500 bytes.'],
  ['an empty field name', set('c/d', { '': int(1) }), 'The property.name is the empty string.'],
  ['a reserved field name', set('c/d', { __id__: int(1) }), 'field name __id__ is reserved'],
  ['a reserved name inside', set('c/d', { m: map({ __x__: int(1) }) }), "field name '__x__' is reserved."],
  ['a field name too long', set('c/d', { ['n'.repeat(1501)]: int(1) }), 'The property.name is longer than 1500 bytes.'],
  ['a string too long', set('c/d', { blob: text(long) }), 'The value of property "blob" is longer than 1048487 bytes.'],
  [
    'bytes too long',
    set('c/d', { b: { bytesValue: Buffer.alloc(1_048_488) } }),
    'The value of property "b" is longer than 1048487 bytes.',
  ],
  [
    'a long string in an array',
    set('c/d', { a: array(text(long)) }),
    'The value of property "array" is longer than 1048487 bytes.',
  ],
  ['a long string in a map', set('c/d', { m: map({ s: text(long) }) }), 'Property m contains an invalid nested entity.'],
  [
    'a long string in a map in an array',
    set('c/d', { a: array(map({ s: text(long) })) }),
    'Property array contains an invalid nested entity.',
  ],
  ['21 levels', set('c/d', { a: deep(21) }), 'Property a contains an invalid nested entity.'],
  ['an array in an array', set('c/d', { a: array(array()) }), 'Nested arrays are not allowed'],
  ['a value without a type', set('c/d', { a: {} }), 'Cannot convert firestore.v1.Value with type unset.'],
  [
    'a latitude',
    set('c/d', { g: { geoPointValue: { latitude: 91 } } }),
    "Geo point latitude '91.0' outside permitted range -90.0 to 90.0.",
  ],
  [
    'a longitude',
    set('c/d', { g: { geoPointValue: { longitude: -180.5 } } }),
    "Geo point longitude '-180.5' outside permitted range -180.0 to 180.0.",
  ],
  [
    'a reference to a collection',
    set('c/d', { r: { referenceValue: now('x') } }),
    `Document parent name "${now('x')}" lacks "/" at index 42.`,
  ],
  ['a mask path', set('c/d', {}, mask('a..b')), `Invalid property path "a..b". ${grammar}`],
  ['an empty mask path', set('c/d', {}, mask('')), 'Invalid empty property path string.'],
  ['a reserved mask path', set('c/d', {}, mask('a.__x__')), 'Invalid reserved name in field path a.__x__'],
  ['a mask on a delete', remove('c/d', mask('a')), 'a delete must not specify a document mask.'],
  [
    'a transform on a delete',
    remove('c/d', { updateTransforms: [{ fieldPath: 'a', setToServerValue: 'REQUEST_TIME' }] }),
    'a delete must not specify a update transform.',
  ],
  ['a verify that verifies nothing', write({ verify: now('c/d') }), 'a verify must contain a precondition'],
  [
    'a vector of integers',
    set('c/d', { v: map({ __type__: text('__vector__'), value: array(int(1)) }) }),
    "Vector must only contain values of type 'double'",
  ],
  [
    'an empty vector',
    set('c/d', { v: map({ __type__: text('__vector__'), value: array() }) }),
    'Cannot have a zero length vector.',
  ],
];
for (const [what, bytes, message] of refusals)
  test(`commit: an invalid write is rejected with production's message: ${what}`, (t) => refuses(t, bytes, message));

test('commit: values at the limits are stored', async (t) => {
  const database = makeDatabase(t);
  await commit(database, set('c/name', { ['n'.repeat(1500)]: int(1), __half: int(1), half__: int(2), 'a.b': int(3) }));
  await commit(database, set('c/deep', { a: deep(20) }));
  await commit(database, set(`c/${'d'.repeat(1500)}`, {}));
  await commit(database, set('c/vector', { v: map({ __type__: text('__vector__'), value: array({ doubleValue: 1 }) }) }));
  await commit(database, set('c/other', { r: { referenceValue: 'projects/other/databases/(default)/documents/x/y' } }));
  await commit(database, set('c/arrays', { a: array(map({ b: array(int(1)) }), { nullValue: 'NULL_VALUE' }) }));
  assert.equal(database.size, 6);
});

test('commit: document size follows the service’s formula', async (t) => {
  const database = makeDatabase(t);
  // 16 and "c", "d" with a byte each; 32; the name and a byte; the text and a byte.
  const overhead = 16 + 2 + 2 + 32 + 2 + 1;
  const fits = (bytes: number) => ({ s: text('x'.repeat(524_288)), t: text('x'.repeat(bytes - 524_288 - overhead - 3)) });
  await commit(database, set('c/d', fits(1_048_576)));
  await rejects(
    commit(database, set('c/d', fits(1_048_577))),
    'INVALID_ARGUMENT',
    `Document '${now('c/d')}' cannot be written because its size (1,048,577 bytes) exceeds the maximum allowed size of 1,048,576 bytes.`,
  );
  // A mask must not bypass the limit.
  await assert.rejects(commit(database, set('c/d', { u: text('x') }, mask('u'))), /exceeds the maximum allowed size/);
});

test('batch: each write has its own result', async (t) => {
  const database = makeDatabase(t);
  await commit(database, set('c/exists', { a: int(1) }));
  const outcomes = await batchWrites(database, [
    set('c/new', { a: int(1) }),
    set('c/missing', {}, { currentDocument: { exists: true } }),
    set('c/exists', {}, { currentDocument: { exists: false } }),
    remove('c/other'),
    set('c/large', { a: text('x'.repeat(700_000)), b: text('x'.repeat(700_000)) }),
    set('c/last', {}),
  ]);
  assert.deepEqual(
    outcomes.map(({ code, message }) => [code, message.slice(0, 22)]),
    [
      [0, ''],
      [5, 'No document to update:'],
      [6, 'Document already exist'],
      [0, ''],
      [3, "Document 'projects/p/d"],
      [0, ''],
    ],
  );
  const times = outcomes.flatMap(({ result }) => result?.updateTime ?? []);
  assert.ok(times[0]! < times[1]!);
  assert.equal(get(database, 'c/new')?.updateTime, times[0]);
  assert.equal(database.size, 3);
});

test('batch: a duplicate document or a malformed write is rejected', async (t) => {
  const database = makeDatabase(t);
  await rejects(
    batchWrites(database, [set('c/d', {}), remove('c/d')]),
    'INVALID_ARGUMENT',
    'the same document cannot be written more than once in a single request',
  );
  await assert.rejects(batchWrites(database, [set('c/ok', {}), set('c/d', { __x__: int(1) })]), /field name __x__ is reserved/);
  assert.equal(database.size, 0);
});

test('commit: a verify checks without writing', async (t) => {
  const database = makeDatabase(t);
  const { commitTime } = await commit(database, set('c/d', {}));
  const verify = (path: string, exists: boolean) => write({ verify: now(path), currentDocument: { exists } });
  assert.equal((await commit(database, verify('c/d', true))).results[0]?.updateTime, commitTime);
  await commit(database, verify('c/none', false));
  await rejects(commit(database, verify('c/none', true)), 'NOT_FOUND', `No document to update: ${now('c/none')}`);
  await assert.rejects(commit(database, verify('c/d', true), set('c/d', {})), /verified and then written in a single request/);
  await assert.rejects(commit(database, set('c/d', {}), verify('c/d', true)), /written and then verified in a single request/);
  await assert.rejects(commit(database, verify('c/d', true), verify('c/d', true)), /verified more than once in a single request/);
  assert.equal(database.size, 1);
});

test('commit: undecodable bytes are rejected', (t) =>
  holds(
    t,
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 60 }),
        fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]) => {
          const bytes = Buffer.from(
            set('c/d', { a: int(1), m: map({ x: array(text('é'), { geoPointValue: { latitude: 1 } }) }) }, mask('a')),
          );
          bytes[at % bytes.length] = byte;
          return bytes;
        }),
      ),
      (bytes) => {
        try {
          parseWrite(bytes, { projectId: 'p', databaseId: '(default)' });
        } catch (error) {
          assert.ok(error instanceof RpcError, String((error as Error).stack));
          assert.equal(error.code, 'INVALID_ARGUMENT');
        }
      },
    ),
    3000,
  ));

test('commit: masks agree with a plain reference implementation', (t) => {
  const name = fc.constantFrom('a', 'b', 'c');
  const tree: fc.Arbitrary<Json> = fc.letrec<{ tree: Json; value: Json }>((tie) => ({
    tree: fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    value: fc.oneof({ maxDepth: 2 }, fc.nat(3).map(int), tie('tree').map(map)),
  })).tree;
  const path = fc.array(name, { minLength: 1, maxLength: 3 });
  const at = (fields: Json, [first, ...rest]: string[]): Json | undefined => {
    const found = fields[first!] as { mapValue?: { fields?: Json } } | undefined;
    if (rest.length === 0 || found === undefined) return found;
    return found.mapValue ? at(found.mapValue.fields ?? {}, rest) : undefined;
  };
  const put = (fields: Json, [first, ...rest]: string[], value: Json | undefined): Json => {
    const { [first!]: found, ...others } = fields as Record<string, { mapValue?: { fields?: Json } }>;
    if (rest.length === 0) return value ? { ...others, [first!]: value } : others;
    if (!found?.mapValue && !value) return fields;
    return { ...others, [first!]: map(put(found?.mapValue?.fields ?? {}, rest, value)) };
  };
  const sorted = (json: unknown): unknown =>
    json && typeof json === 'object' && !Array.isArray(json)
      ? Object.fromEntries(
          Object.entries(json)
            .sort()
            .map(([k, v]) => [k, sorted(v)]),
        )
      : json;
  const plain = (fields: Json) => fieldsOf(document('c/d', fields));
  return holds(
    t,
    fc.asyncProperty(tree, tree, fc.array(path, { maxLength: 4 }), async (before, update, paths) => {
      const database = makeDatabase(t);
      await commit(database, set('c/d', before));
      await commit(database, set('c/d', update, mask(...paths.map(formatFieldPath))));
      const expected = paths.reduce((fields, one) => put(fields, one, at(update, one)), before);
      assert.deepEqual(sorted(fieldsOf(get(database, 'c/d')?.bytes)), sorted(plain(expected)));
      database.close();
    }),
    300,
  );
});
