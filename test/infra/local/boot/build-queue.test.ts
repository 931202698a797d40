import assert from 'node:assert/strict';
import { test } from 'vitest';
import { makeBuildQueue } from '../../../../infra/local/boot/build-queue.ts';

/** A queue of the items a to e, built two at a time, and the batches it has built. */
const queueOf = (build: (batch: readonly string[]) => Promise<void> = async () => undefined, first: readonly string[] = []) => {
  const batches: string[] = [];
  const queue = makeBuildQueue({
    first,
    others: ['a', 'b', 'c', 'd', 'e'],
    atOnce: 2,
    build: (batch) => {
      batches.push(batch.join(''));
      return build(batch);
    },
  });
  return { queue, batches };
};

test('a build queue builds only what is waited for, and everything after its start', async () => {
  const { queue, batches } = queueOf();
  assert.equal(queue.when('unknown'), undefined);
  assert.deepEqual(batches, []);
  await queue.when('b');
  assert.deepEqual(batches, ['b']);
  assert.equal(queue.when('b'), undefined);
  await queue.start();
  assert.deepEqual(batches, ['b', 'ac', 'de']);
});

test('a build queue builds what every session needs before what is waited for', async () => {
  const { queue, batches } = queueOf(undefined, ['x', 'y', 'z']);
  await Promise.all([queue.when('d'), queue.when('e')]);
  assert.deepEqual(batches, ['xy', 'z', 'de']);
});

test('a build queue builds first what is waited for', async () => {
  const { queue, batches } = queueOf();
  const built = queue.start();
  await undefined;
  await queue.when('e');
  assert.deepEqual(batches.slice(0, 2), ['ab', 'ec']);
  await built;
});

test('a stopped build queue begins no further build', async () => {
  const { queue, batches } = queueOf();
  const built = queue.start();
  await undefined;
  queue.stop();
  await built;
  assert.deepEqual(batches, ['ab']);
});

test('a failed build is told to those that wait for it, the other items are built, and it is tried again when asked for', async () => {
  let isBroken = true;
  const { queue, batches } = queueOf(async (batch) => {
    if (isBroken && batch.includes('a')) throw new Error('no such file');
  });
  const built = queue.start();
  await assert.rejects(queue.when('a') ?? Promise.resolve(), /no such file/);
  await built;
  assert.equal(queue.when('b'), undefined);
  assert.deepEqual(batches, ['ab', 'a', 'b', 'cd', 'e']);
  await assert.rejects(queue.when('a') ?? Promise.resolve(), /no such file/);
  isBroken = false;
  await queue.when('a');
  assert.equal(queue.when('a'), undefined);
});

test('who waits for a build when the queue is stopped is told', async () => {
  const { queue } = queueOf();
  const built = queue.start();
  const waiting = queue.when('e') ?? Promise.resolve();
  queue.stop();
  await assert.rejects(waiting, /stopping/);
  await assert.rejects(queue.when('d') ?? Promise.resolve(), /stopping/);
  await built;
});
