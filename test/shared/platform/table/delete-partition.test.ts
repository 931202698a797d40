import { deepEqual, equal } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { deletePartition } from '../../../../shared/platform/index.ts';
import { answerOnWire } from '../../../harness/aws/in-process.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
answerOnWire(table.script);
const at = new Date('2026-01-01T00:00:00Z');
const put = (pk: string, ...sortKeys: readonly string[]): void => {
  for (const sk of sortKeys) table.put({ pk, sk });
};
const remaining = (): readonly unknown[] => table.find('').map(({ pk, sk }) => `${pk}/${sk}`);

beforeEach(() => table.items.clear());

test('deletePartition: it deletes all items of the partition, over several pages, and no other', async () => {
  put('P', ...Array.from({ length: 250 }, (_, n) => `ITEM#${n}`));
  put('Q', 'ITEM#1');
  equal(await deletePartition('P'), true);
  deepEqual(remaining(), ['Q/ITEM#1']);
});

test('deletePartition: with a prefix it deletes only sort keys that begin with it', async () => {
  put('P', 'A#1', 'A#2', 'B#1');
  equal(await deletePartition('P', { prefix: 'A#' }), true);
  deepEqual(remaining(), ['P/B#1']);
});

test('deletePartition: an empty partition is done', async () => equal(await deletePartition('P'), true));

test('deletePartition: after the deadline it deletes nothing and returns false', async () => {
  put('P', 'A#1');
  equal(await deletePartition('P', { deadline: { at, clock: { now: () => at } } }), false);
  deepEqual(remaining(), ['P/A#1']);
});

test('deletePartition: the deadline is checked between items; a second call continues', async () => {
  put('P', 'A#1', 'A#2', 'A#3');
  const seen: string[] = [];
  const clock = { now: () => new Date(at.getTime() - (seen.length < 2 ? 1 : 0)) };
  const beforeDelete = async ({ sk }: { readonly sk: string }): Promise<void> => void seen.push(sk);
  equal(await deletePartition('P', { deadline: { at, clock }, beforeDelete }), false);
  deepEqual([seen, remaining()], [['A#1', 'A#2'], ['P/A#3']]);
  equal(await deletePartition('P', { beforeDelete }), true);
  deepEqual([seen, remaining()], [['A#1', 'A#2', 'A#3'], []]);
});

test('deletePartition: an item whose beforeDelete fails stays', async () => {
  put('P', 'A#1', 'A#2');
  const beforeDelete = async ({ sk }: { readonly sk: string }): Promise<void> => {
    if (sk === 'A#2') throw new Error('no');
  };
  await deletePartition('P', { beforeDelete }).then(
    () => equal(true, false),
    (error: Error) => equal(error.message, 'no'),
  );
  deepEqual(remaining(), ['P/A#2']);
});
