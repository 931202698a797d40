/** A project that is listened to all the time: whatever comes and goes between two turns is heard. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { SourceError } from '../../../../shared/firestore/index.ts';
import { microsOf, type QueuedCycle, windowsOf } from '../../../../shared/pitr/index.ts';
import {
  assertExact,
  batches,
  begun,
  type CaptureWorld,
  nextTurn,
  pass,
  pitrNow,
  put,
  server,
  time,
} from '../../../harness/env/capture-env.ts';
import { listening } from '../../../harness/env/continuous-capture-env.ts';

afterAll(() => server.stop());

/** A document that is there for some tenths of a second, over a whole second or not. */
const flash = async (world: CaptureWorld, path: string, seconds = 0.7): Promise<void> => {
  await put(world, { [path]: 'brief' });
  pass(seconds);
  await put(world, { [path]: null });
};

test('what comes and goes between two turns is known at every second, for a read of each change and few look-ups', async () => {
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
  const arranged = await listening(world, { seconds: 190, happens });
  assert.ok(batches().length >= 3);
  assert.equal(arranged.at(-1)!.turn, pitrNow().turn);
  assert.deepEqual(pitrNow().gaps, []);
  // Nobody listened between the base and the first turn; since then somebody does.
  const { sampled } = windowsOf(pitrNow(), new Date(time.ms));
  assert.equal(sampled.length, 1);
  assert.ok(microsOf(sampled[0]!.to) <= microsOf(batches()[0]!.from) + 1_000);
  await assertExact(world);
  const reads = pitrNow().reads - before;
  assert.ok(reads < 1.4 * written, `${reads} reads of ${written} changes`);
});

test('a quiet project costs a few reads a minute, however many collections it has', async () => {
  const ids = Array.from({ length: 30 }, (_, n) => `c${n}`);
  const world = await begun(Object.fromEntries(ids.map((id) => [`${id}/a`, '1'])));
  const arranged = await listening(world, { seconds: 250 });
  const safety = arranged.filter(({ isHandover }) => !isHandover).map(({ delaySeconds }) => Math.round(delaySeconds));
  assert.deepEqual(new Set(safety), new Set([120]));
  assert.deepEqual(batches(), []);
  // What ends the turn, and up to three questions before; the root collections, and a count of all.
  assert.ok(pitrNow().lastCapture!.reads <= 6, `${pitrNow().lastCapture!.reads} reads`);
  assert.ok(microsOf(pitrNow().capturedTo!) / 1_000 > time.ms - 61_000);
});

test('before one leaves another listens: nothing comes and goes unobserved while they change', async () => {
  const world = await begun({ 'users/ada': '1' });
  let other: Promise<readonly QueuedCycle[]> | undefined;
  const happens = async (second: number) => {
    pass(0.3);
    await flash(world, `users/a-${second}`);
    await put(world, { 'users/ada': `${second}` });
  };
  const arranged = await listening(world, {
    seconds: 130,
    happens,
    arranged: ({ isHandover }) => {
      if (isHandover) other = listening(world, { seconds: 70, isHandover, happens: async () => undefined });
    },
  });
  assert.equal(arranged.filter(({ isHandover }) => isHandover).length, 1);
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

test('who is to relieve somebody that is gone begins by itself, and that nobody listened is said', async () => {
  const world = await begun({ 'users/ada': '1' });
  await listening(world, { seconds: 130 });
  const { turn } = pitrNow();
  await put(world, { 'users/ada': '2' });
  await listening(world, { seconds: 200, isHandover: true, happens: async (second) => flash(world, `users/${second}`) });
  assert.ok(pitrNow().turn > turn);
  assert.equal(pitrNow().sampled!.length, 2);
  const [, unobserved] = pitrNow().sampled!;
  const heard = windowsOf(pitrNow(), new Date(time.ms)).windows.flatMap(({ from, to }) => {
    const all = Array.from({ length: (microsOf(to) - microsOf(from)) / 1_000_000 + 1 }, (_, n) => microsOf(from) + n * 1_000_000);
    return all.filter((second) => second <= microsOf(unobserved!.from) || second >= microsOf(unobserved!.to));
  });
  await assertExact(world, heard);
});

test('who comes to relieve somebody that has left by then goes on at once; one that comes later still does nothing', async () => {
  const world = await begun({ 'users/ada': '1' });
  await listening(world, { seconds: 130 });
  const { turn } = pitrNow();
  await listening(world, {
    seconds: 130,
    isHandover: true,
    turn: turn - 1,
    happens: async (second) => flash(world, `users/${second}`),
  });
  assert.ok(pitrNow().turn > turn);
  const ended = pitrNow().turn;
  assert.deepEqual(await listening(world, { seconds: 130, isHandover: true, turn: turn - 1 }), []);
  assert.equal(pitrNow().turn, ended);
});

test('a stream of who relieves another that is broken off as the other leaves loses nothing', async () => {
  for (const afterMessages of [15, 16, 17, 18, 19]) {
    const world = await begun({ 'users/ada': '1' });
    let other: Promise<readonly QueuedCycle[]> | undefined;
    await listening(world, {
      seconds: 70,
      happens: async () => undefined,
      arranged: ({ isHandover }) => {
        if (!isHandover) return;
        server.faults.add({ method: 'Listen', end: { afterMessages, status: 'UNAVAILABLE' } });
        other = listening(world, { seconds: 130, isHandover, happens: async () => undefined });
      },
    });
    await other;
    server.faults.clear();
    assert.deepEqual([pitrNow().status, pitrNow().gaps, pitrNow().putOffs], ['active', [], undefined]);
    await assertExact(world);
  }
});

for (const afterMessages of [8, 15, 30])
  test(`a stream that is broken off after ${afterMessages} messages is opened again: what was whole by then counts`, async () => {
    const world = await begun({ 'users/ada': '1', 'users/bob': '1' });
    server.faults.add({ method: 'Listen', end: { afterMessages, status: 'UNAVAILABLE' } });
    const happens = async (second: number) => {
      await put(world, { 'users/ada': `${second}`, [`users/new-${second}`]: 'x', 'users/bob': second % 2 ? null : 'again' });
    };
    await listening(world, { seconds: 150, happens });
    server.faults.clear();
    assert.deepEqual(pitrNow().gaps, []);
    await assertExact(world);
    for (const { from, to } of pitrNow().sampled!.slice(1))
      assert.ok(microsOf(to) - microsOf(from) < 30_000_000, `${from} to ${to} was not heard`);
  });

test('a source that is away ends the turn as one to be tried again, by the queue', async () => {
  const world = await begun({ 'users/ada': '1' });
  server.faults.add({ method: 'Listen', status: 'PERMISSION_DENIED', times: 1_000 });
  const [next, ...more] = await listening(world, { seconds: 300 });
  server.faults.clear();
  assert.deepEqual([next!.delaySeconds, more, pitrNow().putOffs], [30, [], 1]);
});

test('a source that breaks off every stream is not asked again and again: after some tries it is waited for the next turn', async () => {
  const world = await begun({ 'users/ada': '1' });
  server.faults.add({ method: 'Listen', end: { afterMessages: 5, status: 'UNAVAILABLE' }, times: 1_000 });
  const arranged = await listening(world, { seconds: 600 });
  server.faults.clear();
  assert.deepEqual(arranged.at(-1), { turn: pitrNow().turn, delaySeconds: 60 });
  assert.deepEqual(pitrNow().gaps, []);
});

test('of several streams one that cannot be opened is a failed turn, and nothing else', async () => {
  const world = await begun(Object.fromEntries(Array.from({ length: 130 }, (_, n) => [`c${n}/a`, '1'])));
  let streams = 0;
  const openSource: CaptureWorld['engine']['openSource'] = (...asked) => {
    const source = world.engine.openSource(...asked);
    const converse = source.converse.bind(source);
    source.converse = (...call) =>
      ++streams === 2 ? Promise.reject(new SourceError('SOURCE_AUTH_ERROR', 'The grant is gone.')) : converse(...call);
    return source;
  };
  const [next, ...more] = await listening({ ...world, engine: { ...world.engine, openSource } }, { seconds: 300 });
  // The one that was open is broken off: nobody waits for it any more.
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual([streams, next!.delaySeconds, more, pitrNow().putOffs], [2, 30, [], 1]);
});

test('a project that needs many streams is listened to all the time like any other', async () => {
  const world = await begun(Object.fromEntries(Array.from({ length: 2_100 }, (_, n) => [`c${n}/a`, '1'])));
  const before = pitrNow().reads;
  const arranged = await listening(world, { seconds: 70 });
  assert.deepEqual(
    arranged.filter(({ isHandover }) => !isHandover).map(({ delaySeconds }) => delaySeconds),
    [120, 120],
  );
  assert.ok(pitrNow().reads - before < 2 * 2_100, `${pitrNow().reads - before} reads`);
});

test('after a turn that was for itself a worker comes before the end of what it could listen to', async () => {
  const world = await begun({ 'users/ada': '1' }, { captureIntervalSeconds: 1_800 });
  assert.equal((await nextTurn(world))!.delaySeconds, 240);
});

test('two listen at once for half a minute, however long a turn is: what both hear is billed twice', async () => {
  const world = await begun({ 'users/ada': '1' }, { captureIntervalSeconds: 240 });
  const arranged = await listening(world, { seconds: 600 });
  assert.deepEqual(
    arranged.filter(({ isHandover }) => isHandover).map(({ delaySeconds }) => delaySeconds),
    [210],
  );
});
