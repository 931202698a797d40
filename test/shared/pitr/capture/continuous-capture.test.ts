/** Continuous capture observes everything that is created and deleted between two cycles. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { SourceError } from '../../../../shared/firestore/index.ts';
import { microsOf, type QueuedCycle, windowsOf } from '../../../../shared/pitr/index.ts';
import { propertyRuns } from '../../../harness/builders/property-runs.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { listen } from '../../../harness/env/continuous-capture-env.ts';

afterAll(stopCaptureEnv);

/** A document that exists for some tenths of a second, across a whole second or not. */
const flash = async (t: CaptureEnv, path: string, seconds = 0.7): Promise<void> => {
  await t.put({ [path]: 'brief' });
  t.pass(seconds);
  await t.put({ [path]: null });
};

test('continuous capture: short-lived documents are known at every second, for one read per change and few look-ups', async () => {
  const t = await createActiveCapture({ 'users/ada': '1', 'users/bob': '1', 'users/ada/notes/a': '1' });
  let written = 0;
  const [before, start] = [t.pitr.reads, microsOf(t.pitr.capturedTo!)];
  const happens = async (second: number) => {
    if (second % 4 !== 1) return;
    for (let n = 0; n < 20; n++) {
      t.pass(0.09);
      await t.put({ [`users/brief-${second}`]: n % 2 === 0 ? `${n}` : null, 'users/ada': `${second} ${n}` });
      written += 1 + (n % 2 === 0 ? 1 : 0);
    }
    t.pass(0.8);
    await t.put({ 'users/bob': second % 8 === 1 ? null : 'again' });
    await flash(t, 'users/ada/notes/b', 1.6);
    written += second % 8 === 1 ? 1 : 2;
  };
  const enqueued = await listen(t, { seconds: 190, happens });
  assert.ok(t.batches.length >= 3);
  assert.equal(enqueued.at(-1)!.turn, t.pitr.turn);
  assert.deepEqual(t.pitr.gaps, []);
  // Continuous only since the first cycle; the time before is proven.
  assert.deepEqual([windowsOf(t.pitr, t.now).sampled, t.pitr.interrupted!.length], [[], 1]);
  await t.assertExact();
  // The root collections are listed once per second.
  const listed = (microsOf(t.pitr.capturedTo!) - start) / 1_000_000;
  const reads = t.pitr.reads - before - Math.floor(listed);
  assert.ok(reads < 1.4 * written, `${reads} reads of ${written} changes`);
});

test('continuous capture: an idle project costs a read per second and a few per minute, however many collections it has', async () => {
  const ids = Array.from({ length: 30 }, (_, n) => `c${n}`);
  const t = await createActiveCapture(Object.fromEntries(ids.map((id) => [`${id}/a`, '1'])));
  const enqueued = await listen(t, { seconds: 250 });
  const safety = enqueued.filter(({ isHandover }) => !isHandover).map(({ delaySeconds }) => Math.round(delaySeconds));
  assert.deepEqual(new Set(safety), new Set([120]));
  assert.deepEqual(t.batches, []);
  // The end of the cycle, up to three time requests, the root collections at its end and at each second, and a count of all.
  assert.ok(t.pitr.lastCapture!.reads <= 6 + 61, `${t.pitr.lastCapture!.reads} reads`);
  assert.ok(microsOf(t.pitr.capturedTo!) / 1_000 > t.nowMs - 61_000);
});

test('continuous capture: the successor listens before the worker stops, so that nothing is missed', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' });
  let other: Promise<readonly QueuedCycle[]> | undefined;
  const happens = async (second: number) => {
    t.pass(0.3);
    await flash(t, `users/a-${second}`);
    await t.put({ 'users/ada': `${second}` });
  };
  const enqueued = await listen(t, {
    seconds: 130,
    happens,
    onEnqueue: ({ isHandover }) => {
      if (isHandover) other = listen(t, { seconds: 70, isHandover, happens: async () => undefined });
    },
  });
  assert.equal(enqueued.filter(({ isHandover }) => isHandover).length, 1);
  const turns = t.pitr.turn;
  t.pass(1);
  await flash(t, 'users/between');
  assert.ok(other);
  await other;
  assert.ok(t.pitr.turn > turns, 'the other did not go on');
  assert.deepEqual([t.pitr.sampled, t.pitr.interrupted!.length], [[], 1]);
  assert.deepEqual(t.pitr.gaps, []);
  await t.assertExact();
});

test('continuous capture: a successor of a crashed worker begins alone, and the period without listening is proven', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' });
  await listen(t, { seconds: 130 });
  const { turn } = t.pitr;
  await t.put({ 'users/ada': '2' });
  await listen(t, { seconds: 200, isHandover: true, happens: async (second) => flash(t, `users/${second}`) });
  assert.ok(t.pitr.turn > turn);
  assert.deepEqual([t.pitr.sampled, t.pitr.interrupted!.length], [[], 2]);
  assert.ok(t.windows.every(({ complete }) => complete));
  await t.assertExact();
});

test('continuous capture: takes over at once if the previous worker has exited; a later handover does nothing', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' });
  await listen(t, { seconds: 130 });
  const { turn } = t.pitr;
  await listen(t, {
    seconds: 130,
    isHandover: true,
    turn: turn - 1,
    happens: async (second) => flash(t, `users/${second}`),
  });
  assert.ok(t.pitr.turn > turn);
  const ended = t.pitr.turn;
  assert.deepEqual(await listen(t, { seconds: 130, isHandover: true, turn: turn - 1 }), []);
  assert.equal(t.pitr.turn, ended);
});

test('continuous capture: a stream of the successor that fails during the handover loses nothing', async () => {
  for (const afterMessages of [16, 18, 15, 17, 19].slice(0, propertyRuns({ quick: 2, usual: 5 }))) {
    const t = await createActiveCapture({ 'users/ada': '1' });
    let other: Promise<readonly QueuedCycle[]> | undefined;
    await listen(t, {
      seconds: 70,
      happens: async () => undefined,
      onEnqueue: ({ isHandover }) => {
        if (!isHandover) return;
        t.server.faults.add({ method: 'Listen', end: { afterMessages, status: 'UNAVAILABLE' } });
        other = listen(t, { seconds: 130, isHandover, happens: async () => undefined });
      },
    });
    await other;
    t.server.faults.clear();
    assert.deepEqual([t.pitr.status, t.pitr.gaps, t.pitr.putOffs], ['active', [], undefined]);
    await t.assertExact();
  }
});

for (const afterMessages of [8, 15, 30])
  test(`continuous capture: a stream that fails after ${afterMessages} messages is reopened, and complete steps count`, async () => {
    const t = await createActiveCapture({ 'users/ada': '1', 'users/bob': '1' });
    t.server.faults.add({ method: 'Listen', end: { afterMessages, status: 'UNAVAILABLE' } });
    const happens = async (second: number) => {
      await t.put({ 'users/ada': `${second}`, [`users/new-${second}`]: 'x', 'users/bob': second % 2 ? null : 'again' });
    };
    await listen(t, { seconds: 150, happens });
    t.server.faults.clear();
    assert.deepEqual(t.pitr.gaps, []);
    await t.assertExact();
    for (const { from, to } of t.pitr.interrupted!.slice(1))
      assert.ok(microsOf(to) - microsOf(from) < 30_000_000, `${from} to ${to} was not heard`);
  });

test('continuous capture: if the source is unavailable the cycle ends and is retried by the queue', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' });
  t.server.faults.add({ method: 'Listen', status: 'PERMISSION_DENIED', times: 1_000 });
  const [next, ...more] = await listen(t, { seconds: 300 });
  t.server.faults.clear();
  assert.deepEqual([next!.delaySeconds, more, t.pitr.putOffs], [30, [], 1]);
});

test('continuous capture: if every stream fails, it waits for the next cycle after some attempts', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' });
  t.server.faults.add({ method: 'Listen', end: { afterMessages: 5, status: 'UNAVAILABLE' }, times: 1_000 });
  const enqueued = await listen(t, { seconds: 600 });
  t.server.faults.clear();
  assert.deepEqual(enqueued.at(-1), { turn: t.pitr.turn, delaySeconds: 60 });
  assert.deepEqual(t.pitr.gaps, []);
});

test('continuous capture: if one of several streams cannot be opened, the cycle fails', async () => {
  const t = await createActiveCapture(Object.fromEntries(Array.from({ length: 130 }, (_, n) => [`c${n}/a`, '1'])));
  let streams = 0;
  const { openSource: open } = t.deps;
  const openSource: CaptureEnv['deps']['openSource'] = (...asked) => {
    const source = open(...asked);
    const converse = source.startStreamingCall.bind(source);
    source.startStreamingCall = (...call) =>
      ++streams === 2 ? Promise.reject(new SourceError('SOURCE_AUTH_ERROR', 'The grant is gone.')) : converse(...call);
    return source;
  };
  t.deps = { ...t.deps, openSource };
  const [next, ...more] = await listen(t, { seconds: 300 });
  // The open stream fails, too, while no caller waits for it.
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual([streams, next!.delaySeconds, more, t.pitr.putOffs], [2, 30, [], 1]);
});

test('continuous capture: a project with many streams is captured continuously, too', async () => {
  const t = await createActiveCapture(Object.fromEntries(Array.from({ length: 2_100 }, (_, n) => [`c${n}/a`, '1'])));
  const before = t.pitr.reads;
  const enqueued = await listen(t, { seconds: 70 });
  assert.deepEqual(
    enqueued.filter(({ isHandover }) => !isHandover).map(({ delaySeconds }) => delaySeconds),
    [120, 120],
  );
  assert.ok(t.pitr.reads - before < 2 * 2_100, `${t.pitr.reads - before} reads`);
});

test('continuous capture: after a single cycle the next worker starts in time to continue', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' }, { captureIntervalSeconds: 1_800 });
  assert.equal((await t.runNextCycle())!.delaySeconds, 240);
});

test('continuous capture: a handover takes half a minute, however long a cycle is, because both workers are billed', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' }, { captureIntervalSeconds: 240 });
  const enqueued = await listen(t, { seconds: 600 });
  assert.deepEqual(
    enqueued.filter(({ isHandover }) => isHandover).map(({ delaySeconds }) => delaySeconds),
    [210],
  );
});
