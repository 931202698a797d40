import assert from 'node:assert/strict';
import { test } from 'vitest';
import { makeBuildQueue } from '../../../../infra/local/boot/build-queue.ts';

/** A queue of the items a to e, built two at a time, and the batches it has built. */
const queueOf = (build: (batch: readonly string[]) => Promise<void> = async () => undefined) => {
  const batches: string[] = [];
  const queue = makeBuildQueue(['a', 'b', 'c', 'd', 'e'], 2, (batch) => {
    batches.push(batch.join(''));
    return build(batch);
  });
  return { queue, batches };
};

test('a build queue builds nothing before something is waited for, and then everything', async () => {
  const { queue, batches } = queueOf();
  assert.equal(queue.when('unknown'), undefined);
  assert.deepEqual(batches, []);
  await queue.when('b');
  await queue.start();
  assert.deepEqual(batches, ['ba', 'cd', 'e']);
  assert.equal(queue.when('b'), undefined);
});

test('a build queue builds first what is waited for', async () => {
  const { queue, batches } = queueOf();
  const built = queue.start();
  await queue.when('e');
  assert.deepEqual(batches.slice(0, 2), ['ab', 'ec']);
  await built;
});

test('a stopped build queue begins no further build', async () => {
  const { queue, batches } = queueOf();
  const built = queue.start();
  queue.stop();
  await built;
  assert.deepEqual(batches, ['ab']);
});

test('a failed build is told to those that wait for it, the other items are built, and it is tried again when asked for', async () => {
  let isBroken = true;
  const { queue, batches } = queueOf(async (batch) => {
    if (isBroken && batch.includes('a')) throw new Error('no such file');
  });
  await assert.rejects(queue.when('a') ?? Promise.resolve(), /no such file/);
  await queue.start();
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
