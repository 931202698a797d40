/** What the writers of a restore do, whatever the target answers. */
import assert from 'node:assert/strict';
import { test } from 'vitest';
import { proto } from '../../../../infra/local/engines/firestore/proto/codecs.ts';
import {
  backupOf,
  createRestoreEnv,
  documentsIn,
  type Fields,
  fieldsOf,
  folderOf,
  projectId,
  put,
  putTarget,
  type RestoreEnv,
  restore,
  restoreOf,
  runRestore,
  server,
  shardsOf,
  startTestRestore,
  table,
  takeBackup,
  writesSent,
} from '../../../harness/env/restore-env.ts';
import { withVirtualTime } from '../../../harness/time/with-virtual-time.ts';

const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });
const text = (stringValue: string): Fields[string] => ({ stringValue });
const numbered = (count: number, of = 'items'): Record<string, Fields> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${of}/${String(n).padStart(5, '0')}`, { n: integer(n) }]));

const setup = async (documents: Readonly<Record<string, Fields>>) => {
  const world = createRestoreEnv();
  await put(world, documents);
  const backup = await takeBackup(world);
  server.faults.resetCalls();
  return { world, backup };
};

/** The outcomes add up to the plan. */
const assertAccounted = (id: string): void => {
  const { plan, written, deleted, raced, failed } = restoreOf(id);
  assert.equal(written + deleted + raced + failed, plan!.create + plan!.overwrite + plan!.delete);
};

const refuse = (world: RestoreEnv, path: string, status = 'INVALID_ARGUMENT' as const): number =>
  server.faults.add({ method: 'BatchWrite', project: world.targetProjectId, contains: path, status, times: 1_000_000 });

test('write: if the target refuses 3 of 1,000 documents, the others are written, the 3 are listed, and the restore fails', async () => {
  const { world, backup } = await setup(numbered(1_000));
  withVirtualTime(world);
  const bad = ['items/00007', 'items/00500', 'items/00999'];
  for (const path of bad) refuse(world, path);
  const failed = await restore(world, backup);
  assert.equal(failed.status, 'failed');
  assert.equal(failed.phase, 'Finalizing');
  assert.equal(failed.error?.code, 'COUNT_MISMATCH');
  assert.equal(failed.error?.message, '3 of 1000 documents could not be written; failures lists them');
  assert.deepEqual(failed.error?.details, { planned: 1_000, failed: 3 });
  assert.deepEqual(
    failed.failures.map(({ path, code }) => [path, code]),
    bad.map((path) => [path, 'INVALID_ARGUMENT']),
  );
  assert.equal(failed.written, 997);
  assert.equal(failed.failed, 3);
  assertAccounted(failed.id);
  assert.equal(documentsIn(world).size, 997);
  for (const path of bad) assert.equal(documentsIn(world).has(path), false);
});

test('write: a document that someone creates while skip_existing writes stays, and counts as skipped', async () => {
  const { world, backup } = await setup(numbered(20));
  const id = await startTestRestore(world, backup, { mergeMode: 'skip_existing' });
  const theirs = { 'items/00003': { theirs: text('yes') }, 'items/00011': { theirs: text('too') } };
  const done = await runRestore(world, id, { onStep: (step) => (step === 'write' ? putTarget(world, theirs) : undefined) });
  assert.equal(done.status, 'completed');
  assert.equal(done.written, 18);
  assert.equal(done.raced, 2);
  assertAccounted(id);
  for (const path of Object.keys(theirs)) assert.match(fieldsOf(world).get(path)!, /"theirs"/);
});

test('write: an exhausted quota of many minutes slows the restore down, but does not fail it', async () => {
  const { world, backup } = await setup(numbered(300));
  const { sleptMs } = withVirtualTime(world);
  server.faults.add({ method: 'BatchWrite', project: world.targetProjectId, status: 'RESOURCE_EXHAUSTED', times: 30 });
  const done = await restore(world, backup);
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.equal(done.written, 300);
  assert.deepEqual(fieldsOf(world), fieldsOf(world, 'source'));
  assert.ok(sleptMs() > 5_000, `the pace was held back for ${sleptMs()} ms, where 300 writes have 600`);
});

test('write: a target that accepts nothing for hours is handed over from run to run until it accepts writes again', async () => {
  const { world, backup } = await setup(numbered(3));
  withVirtualTime(world);
  server.faults.add({ method: 'BatchWrite', project: world.targetProjectId, status: 'RESOURCE_EXHAUSTED', times: 1_000_000 });
  const id = await startTestRestore(world, backup);
  const stalled: boolean[] = [];
  const done = await runRestore(world, id, {
    onStep: (step) => {
      if (step !== 'write') return;
      stalled.push(shardsOf(id)[0]?.stalledSince !== undefined);
      if (stalled.length === 3) server.faults.clear();
    },
  });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual(stalled, [false, true, true]);
  assert.equal(done.written, 3);
  assert.deepEqual(fieldsOf(world), fieldsOf(world, 'source'));
});

test('write: a target that accepts no writes for 6 hours fails the restore with WRITE_QUOTA_EXCEEDED; earlier runs hand over', async () => {
  const { world, backup } = await setup(numbered(3));
  withVirtualTime(world);
  const real = world.nowMs;
  let laterMs = 0;
  world.nowMs = () => real() + laterMs;
  server.faults.add({ method: 'BatchWrite', project: world.targetProjectId, status: 'RESOURCE_EXHAUSTED', times: 1_000_000 });
  const id = await startTestRestore(world, backup);
  let runs = 0;
  const done = await runRestore(world, id, {
    onStep: (step) => {
      if (step !== 'write') return;
      if (++runs > 1) laterMs += 2 * 3_600_000;
    },
  });
  assert.equal(done.status, 'failed');
  assert.equal(done.error?.code, 'WRITE_QUOTA_EXCEEDED');
  assert.ok(runs >= 4 && runs <= 5, `${runs} runs`);
  assert.equal(documentsIn(world).size, 0);
});

test('write: aborted writes and lost responses are retried: none is missing and none is counted twice', async () => {
  const { world, backup } = await setup(numbered(200));
  for (const [call, status, when] of [
    [1, 'ABORTED', 'before'],
    [2, 'UNAVAILABLE', 'after'],
    [3, 'DEADLINE_EXCEEDED', 'after'],
    [4, 'INTERNAL', 'before'],
  ] as const)
    server.faults.add({ method: 'BatchWrite', project: world.targetProjectId, status, when, call });
  const done = await restore(world, backup, { mergeMode: 'skip_existing' });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.equal(done.written, 200);
  assert.equal(done.raced, 0);
  assert.deepEqual(fieldsOf(world), fieldsOf(world, 'source'));
});

test('write: a target that denies writes fails the restore at once, and nothing more is sent', async () => {
  const { world, backup } = await setup(numbered(50));
  const id = await startTestRestore(world, backup);
  const done = await runRestore(world, id, {
    onStep: (step) => {
      if (step === 'write')
        server.faults.add({ method: 'BatchWrite', project: world.targetProjectId, status: 'PERMISSION_DENIED', times: 1_000 });
    },
  });
  assert.equal(done.status, 'failed');
  assert.equal(done.error?.code, 'TARGET_PERMISSION_DENIED');
  assert.equal(done.phase, 'Restoring');
  assert.equal(writesSent(), 1);
});

test('write: references into the backed-up database are rewritten to the target; others, and strings that look like one, stay', async () => {
  const world = createRestoreEnv();
  const [from, to] = [world.sourceProjectId, world.targetProjectId].map((id) => `projects/${id}/databases/(default)/documents`);
  const inside = { arrayValue: { values: [proto.Value.encode({ referenceValue: `${from}/b/2` })] } };
  await put(world, {
    'a/1': {
      here: { referenceValue: `${from}/b/1` },
      list: inside,
      elsewhere: { referenceValue: 'projects/other/databases/(default)/documents/b/1' },
      text: text(`${from}/b/1`),
    },
    'a/1/below/2': { up: { referenceValue: `${from}/a/1` } },
  });
  const done = await restore(world, await takeBackup(world));
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  const { fields } = proto.Document.decode(Buffer.from(documentsIn(world).get('a/1')!, 'hex'));
  const value = (name: string) => proto.Value.decode(fields!.get(name)!);
  assert.equal(value('here').referenceValue, `${to}/b/1`);
  assert.equal(proto.Value.decode(value('list').arrayValue!.values![0]!).referenceValue, `${to}/b/2`);
  assert.equal(value('elsewhere').referenceValue, 'projects/other/databases/(default)/documents/b/1');
  assert.equal(value('text').stringValue, `${from}/b/1`);
  // Restored again, the rewritten documents are unchanged.
  const again = await restore(world, backupOf(done.backupId));
  assert.deepEqual(again.plan, { create: 0, overwrite: 0, skip: 0, delete: 0, unchanged: 2 });
});

test('write: more documents of 1 MiB than fit into a request are written and undone', async () => {
  const large = 1_048_000;
  const documents = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`large/${n}`, { text: text(String.fromCharCode(97 + n).repeat(large)) }]),
  );
  const { world, backup } = await setup(documents);
  await putTarget(world, { 'large/3': { text: text('z'.repeat(large)) } });
  const before = fieldsOf(world);
  const done = await restore(world, backup, { mergeMode: 'rollback' });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual(fieldsOf(world), fieldsOf(world, 'source'));
  assert.ok(writesSent() >= 2, 'more than one request of 10 MiB');
  const undo = await restore(world, backupOf(done.journal.backupId), { mergeMode: 'rollback', undoOf: done.id });
  assert.equal(undo.status, 'completed', JSON.stringify(undo.error));
  assert.deepEqual(fieldsOf(world), before);
});

test('write: only leaves with documents to write are fetched from the backup', async () => {
  const world = createRestoreEnv();
  const filler = 'abcdefghij'.repeat(100);
  const documents = Object.fromEntries(
    Object.entries(numbered(6_000)).map(([path, { n }]) => [path, { n: n!, filler: text(`${path} ${filler}`) }]),
  );
  await put(world, documents);
  const backup = await takeBackup(world);
  let ranges = 0;
  let isCounting = false;
  const store = folderOf(world, backup.path);
  const get = store.get.bind(store);
  store.get = async (name, range) => {
    if (isCounting && range) ranges += 1;
    return get(name, range);
  };
  const id = await startTestRestore(world, backup, { targetProjectId: projectId });
  // All but two are as they were.
  await put(world, { 'items/00005': { n: integer(-1) }, 'items/05995': undefined });
  const done = await runRestore(world, id, {
    onStep: (step) => {
      isCounting = step === 'write';
    },
  });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual(done.plan, { create: 1, overwrite: 1, skip: 0, delete: 0, unchanged: 5_998 });
  assert.equal(ranges, 3, 'a page of the index and two leaves');
});

test('write: a cancelled restore stops writing and emits no more events', async () => {
  const { world, backup } = await setup(numbered(40));
  const id = await startTestRestore(world, backup);
  await runRestore(world, id, {
    triesMax: 1,
    onStep: (step) => {
      if (step === 'write') table.put({ ...restoreOf(id), status: 'cancelled' });
    },
  });
  assert.equal(restoreOf(id).status, 'cancelled');
  assert.equal(writesSent(), 0);
});
