/** The writers of a restore, for every response of the target. */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, test } from 'vitest';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import { createRestoreEnv, type Fields } from '../../../harness/env/restore-env.ts';
import { withVirtualTime } from '../../../harness/time/with-virtual-time.ts';

const t = await createRestoreEnv();

beforeEach(() => t.reset());

const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });
const text = (stringValue: string): Fields[string] => ({ stringValue });
const numbered = (count: number, of = 'items'): Record<string, Fields> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${of}/${String(n).padStart(5, '0')}`, { n: integer(n) }]));

const setup = async (documents: Readonly<Record<string, Fields>>) => {
  t.reset();
  await t.put(documents);
  const backup = await t.takeBackup();
  t.server.faults.resetCalls();
  return { backup };
};

/** The outcomes add up to the plan. */
const assertAccounted = (id: string): void => {
  const { plan, written, deleted, raced, failed } = t.restoreOf(id);
  assert.equal(written + deleted + raced + failed, plan!.create + plan!.overwrite + plan!.delete);
};

const refuse = (path: string, status = 'INVALID_ARGUMENT' as const): number =>
  t.server.faults.add({ method: 'BatchWrite', project: t.targetProjectId, contains: path, status, times: 1_000_000 });

test('write: if the target refuses 3 of 1,000 documents, the others are written, the 3 are listed, and the restore fails', async () => {
  const { backup } = await setup(numbered(1_000));
  withVirtualTime(t);
  const bad = ['items/00007', 'items/00500', 'items/00999'];
  for (const path of bad) refuse(path);
  const failed = await t.restore(backup);
  assert.equal(failed.status, 'failed');
  assert.equal(failed.phase, 'Finalizing');
  assert.equal(failed.error?.code, 'COUNT_MISMATCH');
  assert.equal(failed.error?.message, '3 of 1000 documents could not be written; the list of failures names them');
  assert.deepEqual(failed.error?.details, { planned: 1_000, failed: 3 });
  assert.deepEqual(
    failed.failures.map(({ path, code }) => [path, code]),
    bad.map((path) => [path, 'INVALID_ARGUMENT']),
  );
  assert.equal(failed.written, 997);
  assert.equal(failed.failed, 3);
  assertAccounted(failed.id);
  assert.equal(t.documentsIn().size, 997);
  for (const path of bad) assert.equal(t.documentsIn().has(path), false);
});

test('write: a document that someone creates while skip_existing writes stays, and counts as skipped', async () => {
  const { backup } = await setup(numbered(20));
  const id = await t.startRestore(backup, { mergeMode: 'skip_existing' });
  const theirs = { 'items/00003': { theirs: text('yes') }, 'items/00011': { theirs: text('too') } };
  const done = await t.runRestore(id, { onStep: (step) => (step === 'write' ? t.putTarget(theirs) : undefined) });
  assert.equal(done.status, 'completed');
  assert.equal(done.written, 18);
  assert.equal(done.raced, 2);
  assertAccounted(id);
  for (const path of Object.keys(theirs)) assert.match(t.fieldsOf().get(path)!, /"theirs"/);
});

test('write: an exhausted quota of many minutes slows the restore down, but does not fail it', async () => {
  const { backup } = await setup(numbered(300));
  const { sleptMs } = withVirtualTime(t);
  t.server.faults.add({ method: 'BatchWrite', project: t.targetProjectId, status: 'RESOURCE_EXHAUSTED', times: 30 });
  const done = await t.restore(backup);
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.equal(done.written, 300);
  assert.deepEqual(t.fieldsOf(), t.fieldsOf('source'));
  assert.ok(sleptMs() > 5_000, `the pace was held back for ${sleptMs()} ms, where 300 writes have 600`);
});

// Time passes ten times as fast, so that a few heartbeats suffice.
test('write: a restore held up by an exhausted quota says so, and no longer once the target accepts writes', async () => {
  const { backup } = await setup(numbered(30));
  const begunMs = Date.now();
  const { sleep: _, ...deps } = t.deps;
  t.deps = deps;
  t.nowMs = () => begunMs + (Date.now() - begunMs) * 10;
  const fault = { method: 'BatchWrite', project: t.targetProjectId, status: 'RESOURCE_EXHAUSTED', times: 1_000_000 } as const;
  t.server.faults.add(fault);
  const id = await t.startRestore(backup);
  const running = t.runRestore(id);
  while (!t.restoreOf(id).waitingFor) await pause(200);
  const { waitingFor } = t.restoreOf(id);
  assert.equal(waitingFor?.reason, 'quota');
  t.server.faults.clear();
  const done = await running;
  assert.deepEqual([done.status, done.waitingFor, done.written], ['completed', undefined, 30]);
  const waits = t
    .events('restore.progress')
    .map(({ data }) => (data as { restore: { waitingFor: { reason: string } | null } }).restore.waitingFor);
  assert.deepEqual(
    waits.flatMap((wait) => wait?.reason ?? []),
    ['quota'],
  );
  assert.equal(waits.at(-1), null);
});

test('write: a target that accepts nothing for hours is handed over from run to run until it accepts writes again', async () => {
  const { backup } = await setup(numbered(3));
  withVirtualTime(t);
  t.server.faults.add({ method: 'BatchWrite', project: t.targetProjectId, status: 'RESOURCE_EXHAUSTED', times: 1_000_000 });
  const id = await t.startRestore(backup);
  const stalled: boolean[] = [];
  const done = await t.runRestore(id, {
    onStep: (step) => {
      if (step !== 'write') return;
      stalled.push(t.shardsOf(id)[0]?.stalledSince !== undefined);
      if (stalled.length === 3) t.server.faults.clear();
    },
  });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual(stalled, [false, true, true]);
  assert.equal(done.written, 3);
  assert.deepEqual(t.fieldsOf(), t.fieldsOf('source'));
});

test('write: a target that accepts no writes for 6 hours fails the restore with WRITE_QUOTA_EXCEEDED; earlier runs hand over', async () => {
  const { backup } = await setup(numbered(3));
  withVirtualTime(t);
  const real = t.nowMs;
  let laterMs = 0;
  t.nowMs = () => real() + laterMs;
  t.server.faults.add({ method: 'BatchWrite', project: t.targetProjectId, status: 'RESOURCE_EXHAUSTED', times: 1_000_000 });
  const id = await t.startRestore(backup);
  let runs = 0;
  const done = await t.runRestore(id, {
    onStep: (step) => {
      if (step !== 'write') return;
      if (++runs > 1) laterMs += 2 * 3_600_000;
    },
  });
  assert.equal(done.status, 'failed');
  assert.equal(done.error?.code, 'WRITE_QUOTA_EXCEEDED');
  assert.ok(runs >= 4 && runs <= 5, `${runs} runs`);
  assert.equal(t.documentsIn().size, 0);
});

test('write: aborted writes and lost responses are retried: none is missing and none is counted twice', async () => {
  const { backup } = await setup(numbered(200));
  for (const [call, status, when] of [
    [1, 'ABORTED', 'before'],
    [2, 'UNAVAILABLE', 'after'],
    [3, 'DEADLINE_EXCEEDED', 'after'],
    [4, 'INTERNAL', 'before'],
  ] as const)
    t.server.faults.add({ method: 'BatchWrite', project: t.targetProjectId, status, when, call });
  const done = await t.restore(backup, { mergeMode: 'skip_existing' });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.equal(done.written, 200);
  assert.equal(done.raced, 0);
  assert.deepEqual(t.fieldsOf(), t.fieldsOf('source'));
});

test('write: a target that denies writes fails the restore at once, and nothing more is sent', async () => {
  const { backup } = await setup(numbered(50));
  const id = await t.startRestore(backup);
  const done = await t.runRestore(id, {
    onStep: (step) => {
      if (step === 'write')
        t.server.faults.add({ method: 'BatchWrite', project: t.targetProjectId, status: 'PERMISSION_DENIED', times: 1_000 });
    },
  });
  assert.equal(done.status, 'failed');
  assert.equal(done.error?.code, 'TARGET_PERMISSION_DENIED');
  assert.equal(done.phase, 'Restoring');
  assert.equal(t.writesSent(), 1);
});

test('write: references into the backed-up database are rewritten to the target; others, and strings that look like one, stay', async () => {
  const [from, to] = [t.sourceProjectId, t.targetProjectId].map((id) => `projects/${id}/databases/(default)/documents`);
  const inside = { arrayValue: { values: [proto.Value.encode({ referenceValue: `${from}/b/2` })] } };
  await t.put({
    'a/1': {
      here: { referenceValue: `${from}/b/1` },
      list: inside,
      elsewhere: { referenceValue: 'projects/other/databases/(default)/documents/b/1' },
      text: text(`${from}/b/1`),
    },
    'a/1/below/2': { up: { referenceValue: `${from}/a/1` } },
  });
  const done = await t.restore(await t.takeBackup());
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  const { fields } = proto.Document.decode(Buffer.from(t.documentsIn().get('a/1')!, 'hex'));
  const value = (name: string) => proto.Value.decode(fields!.get(name)!);
  assert.equal(value('here').referenceValue, `${to}/b/1`);
  assert.equal(proto.Value.decode(value('list').arrayValue!.values![0]!).referenceValue, `${to}/b/2`);
  assert.equal(value('elsewhere').referenceValue, 'projects/other/databases/(default)/documents/b/1');
  assert.equal(value('text').stringValue, `${from}/b/1`);
  // Restored again, the rewritten documents are unchanged.
  const again = await t.restore(t.backupOf(done.backupId));
  assert.deepEqual(again.plan, { create: 0, overwrite: 0, skip: 0, delete: 0, unchanged: 2 });
});

test('write: more documents of 1 MiB than fit into a request are written and undone', async () => {
  const large = 1_048_000;
  const documents = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`large/${n}`, { text: text(String.fromCharCode(97 + n).repeat(large)) }]),
  );
  const { backup } = await setup(documents);
  await t.putTarget({ 'large/3': { text: text('z'.repeat(large)) } });
  const before = t.fieldsOf();
  const done = await t.restore(backup, { mergeMode: 'rollback' });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual(t.fieldsOf(), t.fieldsOf('source'));
  assert.ok(t.writesSent() >= 2, 'more than one request of 10 MiB');
  const undo = await t.restore(t.backupOf(done.journal.backupId), { mergeMode: 'rollback', undoOf: done.id });
  assert.equal(undo.status, 'completed', JSON.stringify(undo.error));
  assert.deepEqual(t.fieldsOf(), before);
});

test('write: only leaves with documents to write are fetched from the backup', async () => {
  const filler = 'abcdefghij'.repeat(100);
  const documents = Object.fromEntries(
    Object.entries(numbered(6_000)).map(([path, { n }]) => [path, { n: n!, filler: text(`${path} ${filler}`) }]),
  );
  await t.put(documents);
  const backup = await t.takeBackup();
  let ranges = 0;
  let isCounting = false;
  const store = t.folderOf(backup.path);
  const get = store.get.bind(store);
  store.get = async (name, range) => {
    if (isCounting && range) ranges += 1;
    return get(name, range);
  };
  const id = await t.startRestore(backup, { targetProjectId: t.projectId });
  // All but two are as they were.
  await t.put({ 'items/00005': { n: integer(-1) }, 'items/05995': undefined });
  const done = await t.runRestore(id, {
    onStep: (step) => {
      isCounting = step === 'write';
    },
  });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual(done.plan, { create: 1, overwrite: 1, skip: 0, delete: 0, unchanged: 5_998 });
  assert.equal(ranges, 3, 'a page of the index and two leaves');
});

test('write: a cancelled restore stops writing and emits no more events', async () => {
  const { backup } = await setup(numbered(40));
  const id = await t.startRestore(backup);
  await t.runRestore(id, {
    triesMax: 1,
    onStep: (step) => {
      if (step === 'write') t.table.put({ ...t.restoreOf(id), status: 'cancelled' });
    },
  });
  assert.equal(t.restoreOf(id).status, 'cancelled');
  assert.equal(t.writesSent(), 0);
});
