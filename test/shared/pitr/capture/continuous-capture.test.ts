/** Continuous capture observes everything that is created and deleted between two cycles. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { SourceError } from '../../../../shared/firestore/index.ts';
import { microsOf, type QueuedCycle, windowsOf } from '../../../../shared/pitr/index.ts';
import {
  assertExact,
  batches,
  begun,
  type CaptureWorld,
  pass,
  pitrNow,
  put,
  runNextCycle,
  server,
  time,
} from '../../../harness/env/capture-env.ts';
import { listen } from '../../../harness/env/continuous-capture-env.ts';

afterAll(() => server.stop());

/** A document that exists for some tenths of a second, across a whole second or not. */
const flash = async (world: CaptureWorld, path: string, seconds = 0.7): Promise<void> => {
  await put(world, { [path]: 'brief' });
  pass(seconds);
  await put(world, { [path]: null });
};

test('continuous capture: short-lived documents are known at every second, for one read per change and few look-ups', async () => {
  const world = await begun({ 'users/ada': '1', 'users/bob': '1', 'users/ada/notes/a': '1' });
  let written = 0;
  const before = pitrNow().reads;
  const happens = async (second: number) => {
    if (second % 4 !== 1) return;
    for (let n = 0; n < 20; n++) {
      pass(0.09);
      await put(world, { [`users/brief-${second}`]: n % 2 === 0 ? `${n}` : null, 'users/ada': `${second} ${n}` });
      written += 1 + (n % 2 === 0 ? 1 : 0);
    }
    pass(0.8);
    await put(world, { 'users/bob': second % 8 === 1 ? null : 'again' });
    await flash(world, 'users/ada/notes/b', 1.6);
    written += second % 8 === 1 ? 1 : 2;
  };
  const enqueued = await listen(world, { seconds: 190, happens });
  assert.ok(batches().length >= 3);
  assert.equal(enqueued.at(-1)!.turn, pitrNow().turn);
  assert.deepEqual(pitrNow().gaps, []);
  // Continuous only since the first cycle.
  const { sampled } = windowsOf(pitrNow(), new Date(time.ms));
  assert.equal(sampled.length, 1);
  assert.ok(microsOf(sampled[0]!.to) <= microsOf(batches()[0]!.from) + 1_000);
  await assertExact(world);
  const reads = pitrNow().reads - before;
  assert.ok(reads < 1.4 * written, `${reads} reads of ${written} changes`);
});

test('continuous capture: an idle project costs a few reads per minute, however many collections it has', async () => {
  const ids = Array.from({ length: 30 }, (_, n) => `c${n}`);
  const world = await begun(Object.fromEntries(ids.map((id) => [`${id}/a`, '1'])));
  const enqueued = await listen(world, { seconds: 250 });
  const safety = enqueued.filter(({ isHandover }) => !isHandover).map(({ delaySeconds }) => Math.round(delaySeconds));
  assert.deepEqual(new Set(safety), new Set([120]));
  assert.deepEqual(batches(), []);
  // The end of the cycle, up to three time requests, the root collections, and a count of all.
  assert.ok(pitrNow().lastCapture!.reads <= 6, `${pitrNow().lastCapture!.reads} reads`);
  assert.ok(microsOf(pitrNow().capturedTo!) / 1_000 > time.ms - 61_000);
});

test('continuous capture: the successor listens before the worker stops, so that nothing is missed', async () => {
  const world = await begun({ 'users/ada': '1' });
  let other: Promise<readonly QueuedCycle[]> | undefined;
  const happens = async (second: number) => {
    pass(0.3);
    await flash(world, `users/a-${second}`);
    await put(world, { 'users/ada': `${second}` });
  };
  const enqueued = await listen(world, {
    seconds: 130,
    happens,
    onEnqueue: ({ isHandover }) => {
      if (isHandover) other = listen(world, { seconds: 70, isHandover, happens: async () => undefined });
    },
  });
  assert.equal(enqueued.filter(({ isHandover }) => isHandover).length, 1);
  const turns = pitrNow().turn;
  pass(1);
  await flash(world, 'users/between');
  assert.ok(other);
  await other;
  assert.ok(pitrNow().turn > turns, 'the other did not go on');
  assert.equal(pitrNow().sampled!.length, 1);
  assert.deepEqual(pitrNow().gaps, []);
  await assertExact(world);
});

test('continuous capture: a successor of a crashed worker begins alone, and the period without listening is recorded', async () => {
  const world = await begun({ 'users/ada': '1' });
  await listen(world, { seconds: 130 });
  const { turn } = pitrNow();
  await put(world, { 'users/ada': '2' });
  await listen(world, { seconds: 200, isHandover: true, happens: async (second) => flash(world, `users/${second}`) });
  assert.ok(pitrNow().turn > turn);
  assert.equal(pitrNow().sampled!.length, 2);
  const [, unobserved] = pitrNow().sampled!;
  const heard = windowsOf(pitrNow(), new Date(time.ms)).windows.flatMap(({ from, to }) => {
    const all = Array.from({ length: (microsOf(to) - microsOf(from)) / 1_000_000 + 1 }, (_, n) => microsOf(from) + n * 1_000_000);
    return all.filter((second) => second <= microsOf(unobserved!.from) || second >= microsOf(unobserved!.to));
  });
  await assertExact(world, heard);
});

test('continuous capture: takes over at once if the previous worker has exited; a later handover does nothing', async () => {
  const world = await begun({ 'users/ada': '1' });
  await listen(world, { seconds: 130 });
  const { turn } = pitrNow();
  await listen(world, {
    seconds: 130,
    isHandover: true,
    turn: turn - 1,
    happens: async (second) => flash(world, `users/${second}`),
  });
  assert.ok(pitrNow().turn > turn);
  const ended = pitrNow().turn;
  assert.deepEqual(await listen(world, { seconds: 130, isHandover: true, turn: turn - 1 }), []);
  assert.equal(pitrNow().turn, ended);
});

test('continuous capture: a stream of the successor that fails during the handover loses nothing', async () => {
  for (const afterMessages of [15, 16, 17, 18, 19]) {
    const world = await begun({ 'users/ada': '1' });
    let other: Promise<readonly QueuedCycle[]> | undefined;
    await listen(world, {
      seconds: 70,
      happens: async () => undefined,
      onEnqueue: ({ isHandover }) => {
        if (!isHandover) return;
        server.faults.add({ method: 'Listen', end: { afterMessages, status: 'UNAVAILABLE' } });
        other = listen(world, { seconds: 130, isHandover, happens: async () => undefined });
      },
    });
    await other;
    server.faults.clear();
    assert.deepEqual([pitrNow().status, pitrNow().gaps, pitrNow().putOffs], ['active', [], undefined]);
    await assertExact(world);
  }
});

for (const afterMessages of [8, 15, 30])
  test(`continuous capture: a stream that fails after ${afterMessages} messages is reopened, and complete steps count`, async () => {
    const world = await begun({ 'users/ada': '1', 'users/bob': '1' });
    server.faults.add({ method: 'Listen', end: { afterMessages, status: 'UNAVAILABLE' } });
    const happens = async (second: number) => {
      await put(world, { 'users/ada': `${second}`, [`users/new-${second}`]: 'x', 'users/bob': second % 2 ? null : 'again' });
    };
    await listen(world, { seconds: 150, happens });
    server.faults.clear();
    assert.deepEqual(pitrNow().gaps, []);
    await assertExact(world);
    for (const { from, to } of pitrNow().sampled!.slice(1))
      assert.ok(microsOf(to) - microsOf(from) < 30_000_000, `${from} to ${to} was not heard`);
  });

test('continuous capture: if the source is unavailable the cycle ends and is retried by the queue', async () => {
  const world = await begun({ 'users/ada': '1' });
  server.faults.add({ method: 'Listen', status: 'PERMISSION_DENIED', times: 1_000 });
  const [next, ...more] = await listen(world, { seconds: 300 });
  server.faults.clear();
  assert.deepEqual([next!.delaySeconds, more, pitrNow().putOffs], [30, [], 1]);
});

test('continuous capture: if every stream fails, it waits for the next cycle after some attempts', async () => {
  const world = await begun({ 'users/ada': '1' });
  server.faults.add({ method: 'Listen', end: { afterMessages: 5, status: 'UNAVAILABLE' }, times: 1_000 });
  const enqueued = await listen(world, { seconds: 600 });
  server.faults.clear();
  assert.deepEqual(enqueued.at(-1), { turn: pitrNow().turn, delaySeconds: 60 });
  assert.deepEqual(pitrNow().gaps, []);
});

test('continuous capture: if one of several streams cannot be opened, the cycle fails', async () => {
  const world = await begun(Object.fromEntries(Array.from({ length: 130 }, (_, n) => [`c${n}/a`, '1'])));
  let streams = 0;
  const openSource: CaptureWorld['engine']['openSource'] = (...asked) => {
    const source = world.engine.openSource(...asked);
    const converse = source.startStreamingCall.bind(source);
    source.startStreamingCall = (...call) =>
      ++streams === 2 ? Promise.reject(new SourceError('SOURCE_AUTH_ERROR', 'The grant is gone.')) : converse(...call);
    return source;
  };
  const [next, ...more] = await listen({ ...world, engine: { ...world.engine, openSource } }, { seconds: 300 });
  // The open stream fails, too, while no caller waits for it.
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual([streams, next!.delaySeconds, more, pitrNow().putOffs], [2, 30, [], 1]);
});

test('continuous capture: a project with many streams is captured continuously, too', async () => {
  const world = await begun(Object.fromEntries(Array.from({ length: 2_100 }, (_, n) => [`c${n}/a`, '1'])));
  const before = pitrNow().reads;
  const enqueued = await listen(world, { seconds: 70 });
  assert.deepEqual(
    enqueued.filter(({ isHandover }) => !isHandover).map(({ delaySeconds }) => delaySeconds),
    [120, 120],
  );
  assert.ok(pitrNow().reads - before < 2 * 2_100, `${pitrNow().reads - before} reads`);
});

test('continuous capture: after a single cycle the next worker starts in time to continue', async () => {
  const world = await begun({ 'users/ada': '1' }, { captureIntervalSeconds: 1_800 });
  assert.equal((await runNextCycle(world))!.delaySeconds, 240);
});

test('continuous capture: a handover takes half a minute, however long a cycle is, because both workers are billed', async () => {
  const world = await begun({ 'users/ada': '1' }, { captureIntervalSeconds: 240 });
  const enqueued = await listen(world, { seconds: 600 });
  assert.deepEqual(
    enqueued.filter(({ isHandover }) => isHandover).map(({ delaySeconds }) => delaySeconds),
    [210],
  );
});
