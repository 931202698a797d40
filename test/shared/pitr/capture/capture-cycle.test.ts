/** What a cycle captures, over a Firestore that keeps every version. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { microsOf, windowsOf } from '../../../../shared/pitr/index.ts';
import { eventsOf } from '../../../harness/env/backup-env.ts';
import {
  assertExact,
  batches,
  begun,
  pass,
  pitrNow,
  put,
  runCycle,
  runNextCycle,
  runRequestedBase,
  server,
  table,
  time,
} from '../../../harness/env/capture-env.ts';

afterAll(() => server.stop());

test('capture: every whole second of a window is exact, with versions, deletions and recreated documents', async () => {
  const world = await begun({ 'users/ada': '1', 'users/bob': '1', 'users/cyd': '1', 'users/ada/notes/a': '1' });
  for (let n = 0; n < 12; n++) {
    pass(1.3);
    await put(world, { 'users/ada': `at ${n}`, [`users/new-${n}`]: 'x', 'users/ada/notes/a': n < 3 || n > 8 ? `${n}` : null });
    if (n === 4) await put(world, { 'users/bob': null });
    if (n === 7) await put(world, { 'users/bob': 'again' });
    if (n === 9) await put(world, { 'users/cyd': null });
  }
  pass(3);
  await runNextCycle(world);
  const [batch] = batches();
  assert.equal(batch!.isProven, true);
  assert.deepEqual(JSON.parse(batch!.collections), ['users', 'notes']);
  assert.deepEqual(pitrNow().gaps, []);
  await assertExact(world);
  const captured = eventsOf('pitr.change_captured');
  assert.equal(captured.length, 1);
  const { changes } = captured[0]!.data as { changes: { count: number; collections: string[] } };
  assert.equal(changes.count, batch!.changes);
  assert.ok(pitrNow().lastCapture!.reads > 0);
  assert.equal(pitrNow().reads, pitrNow().lastCapture!.reads);
});

test('capture: a cycle without changes stores nothing, emits nothing, and extends the window for one read per group', async () => {
  const world = await begun({ 'users/ada': '1', 'users/ada/notes/a': '1' });
  const before = pitrNow().capturedTo;
  pass(90);
  await runNextCycle(world);
  await runNextCycle(world);
  assert.deepEqual(batches(), []);
  assert.deepEqual(eventsOf('pitr.change_captured'), []);
  assert.ok(microsOf(pitrNow().capturedTo!) > microsOf(before!) + 90_000_000);
  // Two groups, the list of root collections, and the count of all documents.
  assert.equal(pitrNow().lastCapture!.reads, 4);
  assert.equal(pitrNow().checkedAt, pitrNow().capturedTo);
});

test('capture: a new root collection is captured from its first document, without a gap', async () => {
  const world = await begun({ 'users/ada': '1' });
  await runNextCycle(world);
  pass(2);
  await put(world, { 'orders/1': 'a' });
  pass(2);
  await put(world, { 'orders/1': 'b', 'orders/2': 'a' });
  pass(2);
  await runNextCycle(world);
  await put(world, { 'orders/2': null });
  pass(3);
  await runNextCycle(world);
  assert.deepEqual(pitrNow().gaps, []);
  await assertExact(world);
});

test('capture: more collections than one stream holds use several, and are complete up to the earliest', async () => {
  const ids = Array.from({ length: 130 }, (_, n) => `c${n}`);
  const world = await begun(Object.fromEntries(ids.map((id) => [`${id}/a`, '1'])));
  for (let n = 0; n < 5; n++) {
    pass(1.7);
    await put(
      world,
      Object.fromEntries(ids.map((id, m) => [`${id}/${(m + n) % 3 === 0 ? 'a' : `b${n}`}`, m % 7 === n ? null : `${n}`])),
    );
  }
  pass(2);
  const started = runNextCycle(world);
  // One of the streams advances further than the others.
  for (let n = 0; n < 20; n++) {
    pass(0.2);
    await put(world, { 'c3/a': `late ${n}`, 'c129/a': n === 19 ? null : `late ${n}` });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await started;
  pass(2);
  await runNextCycle(world);
  assert.deepEqual(pitrNow().gaps, []);
  await assertExact(world);
});

test('capture: an empty database is captured, too', async () => {
  const world = await begun({});
  pass(3);
  await runNextCycle(world);
  await put(world, { 'users/ada': '1' });
  pass(3);
  await runNextCycle(world);
  await assertExact(world);
});

test('capture: with interval precision the end is exact, for one read per changed document', async () => {
  const documents = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`users/${n}`, '1']));
  const world = await begun(documents, { precision: 'interval' });
  pass(10);
  await put(world, Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`users/${n}`, '2'])));
  pass(10);
  await put(world, { 'users/150': null, 'users/new': '1' });
  await runNextCycle(world);
  assert.deepEqual([batches().length, batches()[0]!.isProven, batches()[0]!.changes], [1, false, 102]);
  assert.deepEqual(pitrNow().gaps, []);
  const end = microsOf(pitrNow().capturedTo!);
  await assertExact(world, [end]);
  assert.ok(pitrNow().lastCapture!.reads <= 1.1 * 102, `${pitrNow().lastCapture!.reads} reads`);
});

test('capture: seconds that the source can no longer read are a bridged gap', async () => {
  const world = await begun({ 'users/ada': '1' });
  pass(5);
  await runNextCycle(world);
  pass(5);
  await put(world, { 'users/ada': '2' });
  pass(5);
  await put(world, { 'users/ada': '3' });
  pass(5);
  const message = 'The requested snapshot version is too old.';
  server.faults.add({ method: 'BatchGetDocuments', status: 'FAILED_PRECONDITION', message });
  await runNextCycle(world);
  pass(5);
  await put(world, { 'users/ada': '4' });
  pass(5);
  await runNextCycle(world);
  const [first, second] = batches();
  assert.deepEqual([first!.isProven, second!.isProven], [false, true]);
  const [gap] = pitrNow().gaps;
  assert.deepEqual([gap!.from, gap!.to, gap!.isBridged], [first!.from, first!.to, true]);
  const { windows, gaps } = windowsOf(pitrNow(), new Date(time.ms));
  assert.deepEqual([windows.map(({ precision }) => precision), gaps], [[undefined, 'interval', undefined], []]);
  assert.equal(table.find('AUDIT#').filter(({ action }) => action === 'pitr.gap').length, 1);
  await assertExact(world);
});

test('capture: a message of another cycle does nothing, and an early one is delayed', async () => {
  const world = await begun({ 'users/ada': '1' });
  await runNextCycle(world);
  const { turn: due } = pitrNow();
  assert.equal(await runCycle(world, due - 1), undefined);
  assert.equal(await runCycle(world, due + 1), undefined);
  assert.deepEqual(await runCycle(world, due), { turn: due, delaySeconds: 60 });
  assert.equal(pitrNow().turn, due);
});

test('capture: of two runs of one cycle only one commits', async () => {
  const world = await begun({ 'users/ada': '1' });
  pass(5);
  await put(world, { 'users/ada': '2', 'users/bob': '1' });
  pass(70);
  const { turn: due } = pitrNow();
  const ended = await Promise.all([runCycle(world, due), runCycle(world, due), runCycle(world, due)]);
  assert.equal(ended.filter((next) => next !== undefined).length, 1);
  assert.deepEqual([batches().length, pitrNow().changesCaptured, pitrNow().turn], [1, 2, due + 1]);
  assert.equal(eventsOf('pitr.change_captured').length, 1);
  await assertExact(world);
});

test('capture: a base is refreshed daily, and one that discovers a collection opens a gap of that collection only', async () => {
  const world = await begun({ 'users/ada': '1' }, { precision: 'interval', captureIntervalSeconds: 1_800 });
  await put(world, { 'users/ada/secrets/s': 'deep' });
  const [base] = pitrNow().bases;
  for (let turns = 0; pitrNow().bases.length === 1; turns++) {
    assert.ok(turns < 60);
    await runNextCycle(world);
    await runRequestedBase(world);
  }
  const [, newer] = pitrNow().bases;
  const { gaps } = pitrNow();
  assert.deepEqual(
    gaps.map(({ from, to, collections }) => [from, to, collections]),
    [[base!.readTime, newer!.since, ['secrets']]],
  );
  assert.equal(windowsOf(pitrNow(), new Date(time.ms)).windows.length, 1);
  pass(5);
  await put(world, { 'users/ada/secrets/s': 'deeper', 'users/ada': '2' });
  await runNextCycle(world);
  const end = microsOf(pitrNow().capturedTo!);
  await assertExact(world, [end]);
});

test('capture: names and contents of documents are only in encrypted objects', async () => {
  const world = await begun({ 'users/ada': 'before' });
  pass(3);
  await put(world, { 'users/whose-name-nobody-reads': 'what-nobody-reads' });
  pass(3);
  await runNextCycle(world);
  const kept = JSON.stringify([...table.items.values()]);
  const stored = [...world.folders.values()].flatMap((store) => [...store.objects.values()].map((bytes) => Buffer.from(bytes)));
  for (const text of ['whose-name-nobody-reads', 'what-nobody-reads']) {
    assert.ok(!kept.includes(text));
    assert.ok(stored.every((bytes) => !bytes.includes(text)));
  }
  await assertExact(world);
});
