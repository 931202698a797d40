/** Items go through the document client and a table in memory. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import fc from 'fast-check';
import { beforeEach, test } from 'vitest';
import { get, putIfAbsent } from '../../../../shared/platform/index.ts';
import { answerOnWire } from '../../../harness/aws/in-process.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
answerOnWire(table.script);
const key = { pk: 'A', sk: 'B' };
beforeEach(() => table.items.clear());

/** The SDK cannot send an attribute of this name. */
const names = fc.string().filter((name) => name !== '__proto__');
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).filter((number) => !Object.is(number, -0)),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array(),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(names, fc.constant('constructor')), tie('any'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

test('item-values: an item is read as it was written', () =>
  fc.assert(
    fc.asyncProperty(value.any, async (some) => {
      table.items.clear();
      equal(await putIfAbsent({ ...key, some }), true);
      deepEqual(await get(key), { ...key, some });
    }),
  ));

test('item-values: undefined values are left out, empty texts are kept', async () => {
  await putIfAbsent({ ...key, none: undefined, empty: '', list: ['a', undefined], map: { none: undefined, x: 1 } });
  deepEqual(await get(key), { ...key, empty: '', list: ['a'], map: { x: 1 } });
});

test('item-values: a binary value is a Uint8Array in memory of its own', async () => {
  await putIfAbsent({ ...key, bytes: Buffer.from('abc'), list: [{ bytes: Buffer.from('d') }] });
  const { bytes, list } = (await get(key)) as unknown as { bytes: Uint8Array; list: [{ bytes: Uint8Array }] };
  for (const binary of [bytes, list[0].bytes]) {
    equal(Object.getPrototypeOf(binary), Uint8Array.prototype);
    equal(binary.buffer.byteLength, binary.length);
  }
  equal(Buffer.from(bytes).toString(), 'abc');
});

class Instance {}
for (const [what, bad] of [
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['an integer beyond 2^53', 2 ** 53],
  ['a Date', new Date(0)],
  ['a class instance', new Instance()],
  ['a function', () => 0],
  ['a bigint', 1n],
  ['a Set', new Set(['a'])],
  ['a Map', new Map([['a', 1]])],
  ['a member named __proto__', JSON.parse('{"__proto__":1}')],
] as const)
  test(`item-values: ${what} is rejected at any depth`, async () => {
    for (const item of [{ bad }, { list: [bad] }, { map: { bad } }])
      await rejects(putIfAbsent({ ...key, ...item }), (error) => error instanceof TypeError || error instanceof RangeError);
    equal(table.items.size, 0);
  });

for (const [what, attribute] of [
  ['a number that JavaScript cannot represent', { N: '9007199254740993' }],
  ['a set', { SS: ['a'] }],
] as const)
  test(`item-values: ${what} is not read`, async () => {
    table.items.set('A\nB', { pk: { S: 'A' }, sk: { S: 'B' }, list: { L: [attribute] } } as never);
    await rejects(get(key), (error) => error instanceof TypeError || error instanceof RangeError);
  });
