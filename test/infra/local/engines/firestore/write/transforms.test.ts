import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { compareValues } from '../../../../../../infra/local/engines/firestore/value/compare-values.ts';
import { readValue } from '../../../../../../infra/local/engines/firestore/value/value.ts';
import {
  commit,
  fieldsOf,
  get,
  holds,
  type Json,
  makeDatabase,
  root,
  set,
  value,
  valueJson,
  write,
} from '../../../../../harness/firestore/encoded.ts';

const int = (v: number | bigint | string) => ({ integerValue: String(v) });
const double = (doubleValue: number) => ({ doubleValue });
const text = (stringValue: string) => ({ stringValue });
const array = (...values: Json[]) => ({ arrayValue: { values } });
const nothing = { nullValue: 'NULL_VALUE' };

/** Applies one transform to a field and returns its new value and the result. */
const transform = async (t: Parameters<typeof makeDatabase>[0], before: Json | undefined, operation: Json) => {
  const database = makeDatabase(t);
  await commit(database, set('c/d', before ? { f: before } : {}));
  const { results, commitTime } = await commit(
    database,
    set('c/d', {}, { updateMask: {}, updateTransforms: [{ fieldPath: 'f', ...operation }] }),
  );
  const result = results[0]!;
  database.close();
  return {
    after: fieldsOf(get(database, 'c/d')?.bytes).f,
    result: valueJson(result.transformResults[0]!),
    isChanged: result.updateTime === commitTime,
    commitTime,
  };
};
const max = 2n ** 63n - 1n;
const min = -(2n ** 63n);

const cases: [string, Json | undefined, Json, Json][] = [
  ['increment adds integers', int(1), { increment: int(2) }, int(3)],
  ['increment with a double is a double', int(1), { increment: double(0.5) }, double(1.5)],
  ['a double incremented by an integer stays one', double(1.5), { increment: int(1) }, double(2.5)],
  ['increment stops at the largest integer', int(max), { increment: int(1) }, int(max)],
  ['increment stops at the smallest integer', int(min), { increment: int(-1) }, int(min)],
  ['increment is exact beyond 2^53', int(2n ** 53n), { increment: int(1) }, int(2n ** 53n + 1n)],
  ['increment replaces a value that is not a number', text('x'), { increment: int(2) }, int(2)],
  ['increment of a missing field sets it', undefined, { increment: double(2) }, double(2)],
  ['increment of NaN stays NaN', double(Number.NaN), { increment: int(1) }, double(Number.NaN)],
  ['maximum takes the larger', int(1), { maximum: int(2) }, int(2)],
  ['maximum keeps the larger', double(2.5), { maximum: int(2) }, double(2.5)],
  ['maximum of equal numbers keeps the stored one', int(3), { maximum: double(3) }, int(3)],
  ['maximum keeps a stored zero', double(-0), { maximum: int(0) }, double(-0)],
  ['maximum with NaN is NaN', int(1), { maximum: double(Number.NaN) }, double(Number.NaN)],
  ['maximum of a missing field sets it', undefined, { maximum: int(-1) }, int(-1)],
  ['minimum takes the smaller', int(1), { minimum: double(0.5) }, double(0.5)],
  ['minimum keeps the smaller', int(1), { minimum: int(2) }, int(1)],
  ['minimum with NaN is NaN', double(Number.NaN), { minimum: int(1) }, double(Number.NaN)],
  ['minimum replaces a value that is not a number', { booleanValue: true }, { minimum: int(1) }, int(1)],
];
for (const [what, before, operation, after] of cases)
  test(what, async (t) => {
    const done = await transform(t, before, operation);
    assert.deepEqual(done.after, after);
    assert.deepEqual(done.result, after);
  });

const arrays: [string, Json | undefined, Json, Json][] = [
  [
    'missing elements are appended once, in order',
    array(int(1)),
    { appendMissingElements: { values: [int(2), double(1), int(3), double(2)] } },
    array(int(1), int(2), int(3)),
  ],
  [
    'NaN and null count as present',
    array(double(Number.NaN), nothing),
    { appendMissingElements: { values: [double(Number.NaN), nothing] } },
    array(double(Number.NaN), nothing),
  ],
  [
    'appending to a value that is not an array starts a new one',
    text('x'),
    { appendMissingElements: { values: [int(1)] } },
    array(int(1)),
  ],
  ['appending to a missing field creates an array', undefined, { appendMissingElements: { values: [] } }, { arrayValue: {} }],
  [
    'all equal elements are removed',
    array(int(1), double(1), int(2), int(1)),
    { removeAllFromArray: { values: [int(1)] } },
    array(int(2)),
  ],
  [
    'removing from a value that is not an array leaves an empty one',
    int(1),
    { removeAllFromArray: { values: [int(1)] } },
    { arrayValue: {} },
  ],
];
for (const [what, before, operation, after] of arrays)
  test(what, async (t) => {
    const done = await transform(t, before, operation);
    assert.deepEqual(done.after, after);
    assert.deepEqual(done.result, nothing);
  });

test('transforms: the server time is the commit time in milliseconds, equal for all fields', async (t) => {
  const database = makeDatabase(t);
  const at = (fieldPath: string) => ({ fieldPath, setToServerValue: 'REQUEST_TIME' });
  const { commitTime, results } = await commit(database, set('c/d', { x: int(1) }, { updateTransforms: [at('a'), at('m.b')] }));
  const { a, m, x } = fieldsOf(get(database, 'c/d')?.bytes) as Record<string, Json>;
  const { seconds, nanos = 0 } = (a as { timestampValue: { seconds: string; nanos?: number } }).timestampValue;
  assert.equal(Number(seconds) * 1e6 + nanos / 1000, Math.floor(commitTime / 1000) * 1000);
  assert.deepEqual(m, { mapValue: { fields: { b: a } } });
  assert.deepEqual(x, int(1));
  assert.deepEqual(results[0]?.transformResults.map(valueJson), [a, a]);
});

test('transforms: they apply after the update and in order', async (t) => {
  const database = makeDatabase(t);
  const { results } = await commit(
    database,
    set(
      'c/d',
      { n: int(1000) },
      {
        updateTransforms: [
          { fieldPath: 'n', increment: int(1) },
          { fieldPath: 'n', increment: int(1) },
        ],
      },
    ),
  );
  assert.deepEqual(results[0]?.transformResults.map(valueJson), [int(1001), int(1002)]);
});

test('transforms: one alone creates or extends a document', async (t) => {
  const database = makeDatabase(t);
  const bytes = write({ transform: { document: `${root}/c/d`, fieldTransforms: [{ fieldPath: 'n', increment: int(1) }] } });
  await commit(database, bytes);
  await commit(database, set('c/d', { x: text('y') }, { updateMask: { fieldPaths: ['x'] } }), bytes);
  assert.deepEqual(fieldsOf(get(database, 'c/d')?.bytes), { n: int(2), x: text('y') });
});

test('transforms: one without effect keeps the update time', async (t) => {
  assert.ok(!(await transform(t, int(5), { maximum: int(3) })).isChanged);
  assert.ok(!(await transform(t, int(5), { increment: int(0) })).isChanged);
  assert.ok((await transform(t, int(5), { increment: double(0) })).isChanged);
});

const refusals: [string, Json[], string][] = [
  [
    'a field and one inside it',
    [
      { fieldPath: 'm', increment: int(1) },
      { fieldPath: 'm.x', increment: int(1) },
    ],
    'Cannot transform property m and its nested property at the same time.',
  ],
  ['no operation', [{ fieldPath: 'm' }], 'Operation type must be specified for field transformation.'],
  ['an increment by text', [{ fieldPath: 'm', increment: text('x') }], 'Input must be a number.'],
  ['an array to append', [{ fieldPath: 'm', appendMissingElements: { values: [array()] } }], 'Nested arrays are not allowed'],
  ['a reserved path', [{ fieldPath: '__m__', increment: int(1) }], 'Invalid reserved name in field path __m__'],
  [
    'too many',
    Array.from({ length: 501 }, (_, i) => ({ fieldPath: `f${i}`, increment: int(1) })),
    'cannot have more than 500 field transforms on a single document',
  ],
];
for (const [what, updateTransforms, message] of refusals)
  test(`transforms: invalid ones are rejected with production's message: ${what}`, async (t) => {
    const database = makeDatabase(t);
    await assert.rejects((async () => commit(database, set('c/d', {}, { updateTransforms })))(), {
      code: 'INVALID_ARGUMENT',
      message,
    });
  });

test('transforms: maximum and minimum follow the value order, and increment follows arithmetic', (t) => {
  const number: fc.Arbitrary<Json> = fc.oneof(
    fc.bigInt(min, max).map(int),
    fc.integer({ min: -3, max: 3 }).map(int),
    fc.double().map(double),
    fc.integer({ min: -3, max: 3 }).map(double),
  );
  return holds(
    t,
    fc.asyncProperty(number, number, async (a, b) => {
      const [x, y] = [readValue(value(a)), readValue(value(b))];
      const notANumber = [a, b].find((one) => Number.isNaN(one.doubleValue));
      const larger = notANumber ?? (compareValues(x, y) < 0 ? b : a);
      const smaller = notANumber ?? (compareValues(x, y) > 0 ? b : a);
      assert.deepEqual((await transform(t, a, { maximum: b })).after, larger);
      assert.deepEqual((await transform(t, a, { minimum: b })).after, smaller);
      const { after } = await transform(t, a, { increment: b });
      if ('integerValue' in a && 'integerValue' in b) {
        const sum = BigInt(a.integerValue as string) + BigInt(b.integerValue as string);
        const bounded = [min, sum, max].sort((p, q) => (p < q ? -1 : 1))[1]!;
        assert.deepEqual(after, int(bounded));
      } else assert.deepEqual(after, double(Number(a.integerValue ?? a.doubleValue) + Number(b.integerValue ?? b.doubleValue)));
    }),
    200,
  );
});
