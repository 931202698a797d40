/** Matching on wire bytes: what an erasure hides, and nothing else. */
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { compareNames, type Leaf, type LedgerEntry, recordKind } from '../../../../shared/archive/index.ts';
import { ErasureFilter, FieldMatcher, fieldSegments, valueKey } from '../../../../shared/firestore/index.ts';

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]);
const field = (number: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(varint(number * 8 + 2)), Buffer.from(varint(content.length)), content]);
const text = (value: string): Buffer => field(17, Buffer.from(value));
const integer = (value: number): Buffer => Buffer.from([2 * 8, ...varint(value)]);
const double = (value: number): Buffer => {
  const bytes = Buffer.alloc(9);
  bytes[0] = 3 * 8 + 1;
  bytes.writeDoubleLE(value, 1);
  return bytes;
};
const entry = (name: string, value: Uint8Array): Buffer => Buffer.concat([field(1, Buffer.from(name)), field(2, value)]);
const map = (...entries: readonly Buffer[]): Buffer => field(6, Buffer.concat(entries.map((one) => field(1, one))));
const documentOf = (...entries: readonly Buffer[]): Buffer => Buffer.concat(entries.map((one) => field(2, one)));
const root = 'projects/p/databases/(default)/documents/';
const erasure = (more: Partial<LedgerEntry>): LedgerEntry => ({
  id: 'era',
  createdAt: '2025-01-01T00:00:00.000Z',
  paths: [],
  includeSubcollections: true,
  ...more,
});
const path = (name: string): Buffer => Buffer.from(name);

test('field matcher: finds a value among others, at any depth, and compares numbers by value', () => {
  const document = documentOf(
    entry('name', text('Ada')),
    entry('age', integer(36)),
    entry('profile', map(entry('email', text('ada@example.com')), entry('score', double(5)))),
    entry('a.b', text('dotted')),
  );
  const matches = (name: string, value: Record<string, unknown>): boolean => new FieldMatcher(name, value).matches(document);
  deepEqual(
    [
      matches('name', { stringValue: 'Ada' }),
      matches('name', { stringValue: 'ada' }),
      matches('name', { stringValue: 'Ada ' }),
      matches('age', { integerValue: '36' }),
      matches('age', { doubleValue: 36 }),
      matches('age', { doubleValue: 36.5 }),
      matches('age', { stringValue: '36' }),
      matches('profile.email', { stringValue: 'ada@example.com' }),
      matches('email', { stringValue: 'ada@example.com' }),
      matches('profile.score', { integerValue: '5' }),
      matches('`a.b`', { stringValue: 'dotted' }),
      matches('a.b', { stringValue: 'dotted' }),
      matches('missing', { nullValue: null }),
    ],
    [true, false, false, true, true, false, false, true, false, true, true, false, false],
  );
});

test('field matcher: text in another Unicode form is another value, as in Firestore', () => {
  const document = documentOf(entry('name', text('Zoe\u0301')));
  equal(new FieldMatcher('name', { stringValue: 'Zo\u00e9' }).matches(document), false);
  equal(new FieldMatcher('name', { stringValue: 'Zoe\u0301' }).matches(document), true);
});

test('values: equal values have equal keys; invalid ones are rejected', () => {
  equal(valueKey({ integerValue: '5' }), valueKey({ doubleValue: 5 }));
  equal(valueKey({ doubleValue: -0 }), valueKey({ integerValue: '0' }));
  equal(valueKey({ timestampValue: '2025-01-31T08:00:00Z' }), valueKey({ timestampValue: '2025-01-31T08:00:00.000Z' }));
  equal(
    valueKey({ mapValue: { fields: { a: { nullValue: null }, b: { booleanValue: true } } } }),
    valueKey({ mapValue: { fields: { b: { booleanValue: true }, a: { nullValue: null } } } }),
  );
  for (const invalid of [
    {},
    { stringValue: 1 },
    { a: 1 },
    { integerValue: '1.5' },
    { doubleValue: 'x' },
    { timestampValue: 'now' },
  ])
    throws(() => valueKey(invalid), TypeError, JSON.stringify(invalid));
});

test('field paths: segments are separated by dots, and backticks quote', () => {
  deepEqual(
    ['a', 'a.b', '`a.b`.c', 'a\\.b', '`x\\`y`'].map((one) => fieldSegments(one)),
    [['a'], ['a', 'b'], ['a.b', 'c'], ['a\\', 'b'], ['x`y']],
  );
  deepEqual(['', '.', 'a.', '.a', 'a..b', '`a', 'a`b`'].map((one) => fieldSegments(one)).filter(Boolean), []);
});

test('erasure filter: a path hides the document and everything below it, and no neighbour', () => {
  const filter = new ErasureFilter([erasure({ paths: ['users/ada', 'users/ada/orders/1', 'users/zoe'] })], root);
  const names = ['users/ad', 'users/ada', 'users/ada/orders/1', 'users/ada/x/y', 'users/ada2', 'users/adA', 'users/zoe', 'users'];
  deepEqual(
    names.filter((name) => filter.hidesPath(path(name))),
    ['users/ada', 'users/ada/orders/1', 'users/ada/x/y', 'users/zoe'],
  );
  const alone = new ErasureFilter([erasure({ paths: ['users/ada'], includeSubcollections: false })], root);
  deepEqual(
    names.filter((name) => alone.hidesPath(path(name))),
    ['users/ada'],
  );
});

test('erasure filter: a query applies to its collection id at any depth, and to no other', () => {
  const query = { collection: 'people', field: 'email', value: { stringValue: 'x' } };
  const filter = new ErasureFilter([erasure({ query })], root);
  const document = documentOf(entry('email', text('x')));
  deepEqual(
    ['people/1', 'teams/a/people/1', 'users/1', 'xpeople/1', 'people/1/notes/1'].filter((name) =>
      filter.hidesDocument(path(name), document),
    ),
    ['people/1', 'teams/a/people/1'],
  );
  equal(
    new ErasureFilter([erasure({ query: { field: 'email', value: { stringValue: 'x' } } })], root).hidesDocument(
      path('a/b'),
      document,
    ),
    true,
  );
});

/** Created at a time, as Firestore sends it. */
const createdAt = (time: string, ...entries: readonly Buffer[]): Buffer =>
  Buffer.concat([documentOf(...entries), field(3, Buffer.from([8, ...varint(Date.parse(time) / 1_000)]))]);

test('erasure filter: a document that was created after the erasure is a new one', () => {
  const at = '2025-01-01T00:00:00.000Z';
  const byPath = new ErasureFilter([erasure({ createdAt: at, paths: ['users/ada'] })], root);
  const query = { field: 'email', value: { stringValue: 'x' } };
  const byValue = new ErasureFilter([erasure({ createdAt: at, query })], root);
  const isHidden = (time: string): readonly boolean[] => [
    byPath.hidesDocument(path('users/ada'), createdAt(time)),
    byValue.hidesDocument(path('users/ada'), createdAt(time, entry('email', text('x')))),
  ];
  deepEqual(isHidden('2024-12-31T23:59:59Z'), [true, true]);
  // A restore that was running may still have written it.
  deepEqual(isHidden('2025-01-01T00:20:00Z'), [true, true]);
  deepEqual(isHidden('2025-01-01T00:20:01Z'), [false, false]);
  // The name stays known, so that a rollback to an older backup does not delete the new document.
  equal(byPath.hidesPath(path('users/ada')), true);
  equal(byPath.hidesDocument(path('users/ada'), documentOf()), true, 'without a time it counts as old');
});

test('erasure filter: where erasures overlap, the latest one counts', () => {
  const [first, second, third] = ['2025-01-01T00:00:00.000Z', '2025-02-01T00:00:00.000Z', '2025-03-01T00:00:00.000Z'];
  const of = (...erasures: readonly LedgerEntry[]) => new ErasureFilter(erasures, root);
  const filter = of(
    erasure({ createdAt: first, paths: ['users/ada', 'users/zoe'] }),
    erasure({ createdAt: third, paths: ['users/ada/orders/7'] }),
    erasure({ createdAt: second, paths: ['users/ada/orders/5', 'users/zoe'], includeSubcollections: false }),
  );
  const isHidden = (name: string, time: string): boolean => filter.hidesDocument(path(name), createdAt(time));
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['users/ada', '2025-01-15T00:00:00Z', false],
    ['users/ada/orders/4', '2025-01-15T00:00:00Z', false],
    ['users/ada/orders/5', '2025-01-15T00:00:00Z', true],
    ['users/ada/orders/5/items/1', '2025-01-15T00:00:00Z', false],
    ['users/ada/orders/6', '2025-01-15T00:00:00Z', false],
    ['users/ada/orders/7', '2025-02-15T00:00:00Z', true],
    ['users/ada/orders/7/items/1', '2025-02-15T00:00:00Z', true],
    ['users/ada/orders/8', '2025-01-15T00:00:00Z', false],
    ['users/ada/orders/8', '2024-12-15T00:00:00Z', true],
    ['users/zoe', '2025-01-15T00:00:00Z', true],
    ['users/zoe/orders/1', '2025-01-15T00:00:00Z', false],
    ['users/zoe/orders/1', '2024-12-15T00:00:00Z', true],
    ['users/zoe2', '2024-12-15T00:00:00Z', false],
  ];
  for (const [name, time, expected] of cases) equal(isHidden(name, time), expected, `${name} ${time}`);
  for (const [n, { to }] of filter.ranges.entries()) {
    const next = filter.ranges[n + 1]?.from;
    if (next) equal(Buffer.compare(to, next) <= 0, true);
  }
});

test('erasure filter: records of deleted documents stay, which an undo needs', () => {
  const names = ['users/ad', 'users/ada', 'users/ada/orders/1'].map((name) => Buffer.from(root + name));
  const hidden: number[] = [];
  const leafOf = (kind: number) => ({
    count: names.length,
    hasBodies: true,
    name: (slot: number) => names[slot],
    kind: () => kind,
    created: () => ({ seconds: 0, nanos: 0 }),
    lowerBound: (name: Buffer) => names.filter((one) => compareNames(one, name) < 0).length,
    hide: (slot: number) => hidden.push(slot),
  });
  const filter = new ErasureFilter([erasure({ paths: ['users/ada'] })], root);
  equal(filter.apply(leafOf(recordKind.tombstone) as unknown as Leaf), true);
  deepEqual(hidden, []);
  equal(filter.apply(leafOf(recordKind.document) as unknown as Leaf), true);
  deepEqual(hidden, [1, 2]);
});
