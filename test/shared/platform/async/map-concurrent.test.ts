import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { mapConcurrent } from '../../../../shared/platform/index.ts';

const items = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

test('mapConcurrent: results are in the order of the items, whichever ends first', async () => {
  const settles = items.map(() => Promise.withResolvers<void>());
  const results = mapConcurrent(items, items.length, async (item) => {
    await settles[item]?.promise;
    return item * 10;
  });
  for (const { resolve } of settles.toReversed()) resolve();
  deepEqual(
    await results,
    items.map((item) => item * 10),
  );
});

test('mapConcurrent: at most `concurrency` calls run at a time, and as many do', async () => {
  let running = 0;
  let most = 0;
  await mapConcurrent(items, 3, async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
  });
  equal(most, 3);
});

test('mapConcurrent: the first failure rejects and starts no further call', async () => {
  const started: number[] = [];
  const failure = new Error('no');
  const work = async (item: number): Promise<void> => {
    started.push(item);
    if (item === 1) throw failure;
    await Promise.resolve();
  };
  await rejects(mapConcurrent(items, 2, work), failure);
  deepEqual(started, [0, 1]);
});

test('mapConcurrent: no items are no calls', async () => {
  deepEqual(await mapConcurrent([], 4, () => Promise.reject(new Error('called'))), []);
});
