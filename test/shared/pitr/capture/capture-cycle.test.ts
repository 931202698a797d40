/** What a cycle captures, over a Firestore that keeps every version. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { microsOf, windowsOf } from '../../../../shared/pitr/index.ts';
import { createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

test('capture: every whole second of a window is exact, with versions, deletions and recreated documents', async () => {
  const t = await createActiveCapture({ 'users/ada': '1', 'users/bob': '1', 'users/cyd': '1', 'users/ada/notes/a': '1' });
  for (let n = 0; n < 12; n++) {
    t.pass(1.3);
    await t.put({ 'users/ada': `at ${n}`, [`users/new-${n}`]: 'x', 'users/ada/notes/a': n < 3 || n > 8 ? `${n}` : null });
    if (n === 4) await t.put({ 'users/bob': null });
    if (n === 7) await t.put({ 'users/bob': 'again' });
    if (n === 9) await t.put({ 'users/cyd': null });
  }
  t.pass(3);
  await t.runNextCycle();
  const [batch] = t.batches;
  assert.equal(batch!.isProven, true);
  assert.deepEqual(JSON.parse(batch!.collections), ['users', 'notes']);
  assert.deepEqual(t.pitr.gaps, []);
  await t.assertExact();
  const captured = t.events('pitr.change_captured');
  assert.equal(captured.length, 1);
  const { changes } = captured[0]!.data as { changes: { count: number; collections: string[] } };
  assert.equal(changes.count, batch!.changes);
  assert.ok(t.pitr.lastCapture!.reads > 0);
  assert.equal(t.pitr.reads, t.pitr.lastCapture!.reads);
});

test('capture: a cycle without changes stores nothing, emits nothing, and extends the window for one read per group and second', async () => {
  const t = await createActiveCapture({ 'users/ada': '1', 'users/ada/notes/a': '1' });
  const before = t.pitr.capturedTo;
  t.pass(90);
  await t.runNextCycle();
  await t.runNextCycle();
  assert.deepEqual(t.batches, []);
  assert.deepEqual(t.events('pitr.change_captured'), []);
  assert.ok(microsOf(t.pitr.capturedTo!) > microsOf(before!) + 90_000_000);
  // Two groups, the root collections at the end and the count of all documents; both at each second, because nothing was listened to.
  assert.equal(t.pitr.lastCapture!.reads, 4 + 60 + 60);
  assert.equal(t.pitr.checkedAt, t.pitr.capturedTo);
});

test('capture: a new root collection is captured from its first document, without a gap', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' });
  await t.runNextCycle();
  t.pass(2);
  await t.put({ 'orders/1': 'a' });
  t.pass(2);
  await t.put({ 'orders/1': 'b', 'orders/2': 'a' });
  t.pass(2);
  await t.runNextCycle();
  await t.put({ 'orders/2': null });
  t.pass(3);
  await t.runNextCycle();
  assert.deepEqual(t.pitr.gaps, []);
  await t.assertExact();
});

test('capture: more collections than one stream holds use several, and are complete up to the earliest', async () => {
  const ids = Array.from({ length: 130 }, (_, n) => `c${n}`);
  const t = await createActiveCapture(Object.fromEntries(ids.map((id) => [`${id}/a`, '1'])));
  for (let n = 0; n < 5; n++) {
    t.pass(1.7);
    await t.put(
      Object.fromEntries(ids.map((id, m) => [`${id}/${(m + n) % 3 === 0 ? 'a' : `b${n}`}`, m % 7 === n ? null : `${n}`])),
    );
  }
  t.pass(2);
  const started = t.runNextCycle();
  // One of the streams advances further than the others.
  for (let n = 0; n < 20; n++) {
    t.pass(0.2);
    await t.put({ 'c3/a': `late ${n}`, 'c129/a': n === 19 ? null : `late ${n}` });
    await new Promise((resolve) => setImmediate(resolve));
  }
  await started;
  t.pass(2);
  await t.runNextCycle();
  assert.deepEqual(t.pitr.gaps, []);
  await t.assertExact();
});

test('capture: an empty database is captured, too', async () => {
  const t = await createActiveCapture({});
  t.pass(3);
  await t.runNextCycle();
  await t.put({ 'users/ada': '1' });
  t.pass(3);
  await t.runNextCycle();
  await t.assertExact();
});

test('capture: with interval precision the end is exact, for one read per changed document', async () => {
  const documents = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`users/${n}`, '1']));
  const t = await createActiveCapture(documents, { precision: 'interval' });
  t.pass(10);
  await t.put(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`users/${n}`, '2'])));
  t.pass(10);
  await t.put({ 'users/150': null, 'users/new': '1' });
  await t.runNextCycle();
  assert.deepEqual([t.batches.length, t.batches[0]!.isProven, t.batches[0]!.changes], [1, false, 102]);
  assert.deepEqual(t.pitr.gaps, []);
  const end = microsOf(t.pitr.capturedTo!);
  await t.assertExact([end]);
  assert.ok(t.pitr.lastCapture!.reads <= 1.1 * 102, `${t.pitr.lastCapture!.reads} reads`);
});

test('capture: seconds that the source can no longer read are a bridged gap', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' });
  t.pass(5);
  await t.runNextCycle();
  t.pass(5);
  await t.put({ 'users/ada': '2' });
  t.pass(5);
  await t.put({ 'users/ada': '3' });
  t.pass(5);
  const message = 'The requested snapshot version is too old.';
  t.server.faults.add({ method: 'BatchGetDocuments', status: 'FAILED_PRECONDITION', message });
  await t.runNextCycle();
  t.pass(5);
  await t.put({ 'users/ada': '4' });
  t.pass(5);
  await t.runNextCycle();
  const [first, second] = t.batches;
  assert.deepEqual([first!.isProven, second!.isProven], [false, true]);
  const [gap] = t.pitr.gaps;
  assert.deepEqual([gap!.from, gap!.to, gap!.isBridged], [first!.from, first!.to, true]);
  const { windows, gaps } = windowsOf(t.pitr, t.now);
  assert.deepEqual([windows.map(({ precision }) => precision), gaps], [[undefined, 'interval', undefined], []]);
  assert.equal(t.audited('pitr.gap').length, 1);
  await t.assertExact();
});

test('capture: a message of another cycle does nothing, and an early one is delayed', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' });
  await t.runNextCycle();
  const { turn: due } = t.pitr;
  assert.equal(await t.runCycle(due - 1), undefined);
  assert.equal(await t.runCycle(due + 1), undefined);
  assert.deepEqual(await t.runCycle(due), { turn: due, delaySeconds: 60 });
  assert.equal(t.pitr.turn, due);
});

test('capture: of two runs of one cycle only one commits', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' });
  t.pass(5);
  await t.put({ 'users/ada': '2', 'users/bob': '1' });
  t.pass(70);
  const { turn: due } = t.pitr;
  const ended = await Promise.all([t.runCycle(due), t.runCycle(due), t.runCycle(due)]);
  assert.equal(ended.filter((next) => next !== undefined).length, 1);
  assert.deepEqual([t.batches.length, t.pitr.changesCaptured, t.pitr.turn], [1, 2, due + 1]);
  assert.equal(t.events('pitr.change_captured').length, 1);
  await t.assertExact();
});

test('capture: a base is refreshed daily, and one that discovers a collection leaves a gap of that collection only', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' }, { precision: 'interval', captureIntervalSeconds: 1_800 });
  await t.put({ 'users/ada/secrets/s': 'deep' });
  const [base] = t.pitr.bases;
  // The search for the collection fails.
  t.server.faults.add({ method: 'RunQuery', status: 'PERMISSION_DENIED', times: 1_000 });
  await t.runNextCycle();
  t.server.faults.clear();
  for (let turns = 0; t.pitr.bases.length === 1; turns++) {
    assert.ok(turns < 60);
    await t.runNextCycle();
    await t.runRequestedBase();
  }
  const [, newer] = t.pitr.bases;
  const { gaps } = t.pitr;
  assert.deepEqual(
    gaps.filter(({ isQuiet }) => !isQuiet).map(({ from, to, collections }) => [from, to, collections]),
    [[base!.readTime, newer!.since, ['secrets']]],
  );
  assert.equal(windowsOf(t.pitr, t.now).windows.length, 1);
  t.pass(5);
  await t.put({ 'users/ada/secrets/s': 'deeper', 'users/ada': '2' });
  await t.runNextCycle();
  const end = microsOf(t.pitr.capturedTo!);
  await t.assertExact([end]);
  for (let turns = 0; t.pitr.bases.length === 2; turns++) {
    assert.ok(turns < 60);
    await t.runNextCycle();
    await t.runRequestedBase();
  }
  const day = microsOf(t.pitr.bases[2]!.readTime) - microsOf(newer!.readTime);
  assert.ok(day > 86_000_000_000 && day < 92_000_000_000, `${day}`);
});

test('capture: names and contents of documents are only in encrypted objects', async () => {
  const t = await createActiveCapture({ 'users/ada': 'before' });
  t.pass(3);
  await t.put({ 'users/whose-name-nobody-reads': 'what-nobody-reads' });
  t.pass(3);
  await t.runNextCycle();
  const kept = JSON.stringify([...t.table.items.values()]);
  const stored = [...t.folders.values()].flatMap((store) => [...store.objects.values()].map((bytes) => Buffer.from(bytes)));
  for (const text of ['whose-name-nobody-reads', 'what-nobody-reads']) {
    assert.ok(!kept.includes(text));
    assert.ok(stored.every((bytes) => !bytes.includes(text)));
  }
  await t.assertExact();
});
