/** Documents that others change in the target during a restore are never replaced unsaved. */
import assert from 'node:assert/strict';
import { test } from 'vitest';
import { commit, newId } from '../../../../shared/platform/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { endCancelled } from '../../../harness/env/restore/end-cancelled.ts';
import { createRestoreEnv, type Fields, type RestoreInput } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });
const theirs: Fields = { order: { stringValue: 'paid' } };
const message = 'Changed in the target since it was saved; restore it again';
const conflictsOf = (paths: readonly string[]) => paths.map((path) => ({ path, code: 'FAILED_PRECONDITION', message }));

/** 0 to 3 are to be created, 4 to 7 to be overwritten; with rollback 8 and 9 are to be deleted. */
const setup = async () => {
  t.reset();
  await t.put(Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`a/${n}`, { n: integer(n) }])));
  const backup = await t.takeBackup();
  await t.putTarget(Object.fromEntries([4, 5, 6, 7, 8, 9].map((n) => [`a/${n}`, { old: integer(n) }])));
  t.server.faults.resetCalls();
  return { backup };
};

/** Runs a restore while someone changes the target after everything was saved. */
const disturbed = async (
  { backup }: Awaited<ReturnType<typeof setup>>,
  ask: RestoreInput,
  changes: Readonly<Record<string, Fields | undefined>>,
) => {
  const id = await t.startRestore(backup, ask);
  let isDone = false;
  return t.runRestore(id, {
    onStep: async (step) => {
      if (step !== 'write' || isDone) return;
      isDone = true;
      await t.putTarget(changes);
    },
  });
};

const has = (path: string, field: string): void =>
  assert.match(t.fieldsOf().get(path) ?? 'nothing', new RegExp(`"${field}"`), path);

for (const mergeMode of ['overwrite', 'merge', 'rollback'] as const)
  test(`${mergeMode}: documents created, changed or deleted after the check stay and are listed; all others are restored`, async () => {
    const set = await setup();
    const isRollback = mergeMode === 'rollback';
    const changes = { 'a/1': theirs, 'a/5': theirs, 'a/6': undefined, ...(isRollback && { 'a/8': theirs }) };
    const done = await disturbed(set, { mergeMode }, changes);
    const failed = Object.keys(changes);
    assert.equal(done.status, 'failed');
    assert.equal(done.error?.code, 'COUNT_MISMATCH');
    assert.match(done.error?.message ?? '', new RegExp(`^${failed.length} of ${isRollback ? 10 : 8} documents could not`));
    assert.deepEqual(done.failures, conflictsOf(failed));
    assert.deepEqual([done.written, done.deleted, done.raced, done.failed], [5, isRollback ? 1 : 0, 0, failed.length]);
    for (const path of failed.filter((path) => path !== 'a/6')) has(path, 'order');
    assert.equal(t.documentsIn().has('a/6'), false);
    for (const n of [0, 2, 3, 4, 7]) has(`a/${n}`, 'n');
    assert.equal(t.documentsIn().has('a/9'), !isRollback);
    // A second restore saves and replaces their changes.
    const again = await t.restore(t.backupOf(set.backup.id), { mergeMode });
    assert.equal(again.status, 'completed', JSON.stringify(again.error));
    for (const n of [1, 5, 6]) has(`a/${n}`, 'n');
  });

test('write: a document that someone else created or deleted exactly as planned is no failure', async () => {
  const set = await setup();
  const done = await disturbed(
    set,
    { mergeMode: 'rollback' },
    { 'a/1': { n: integer(1) }, 'a/5': { n: integer(5) }, 'a/8': undefined },
  );
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual([done.written, done.deleted, done.failed], [8, 2, 0]);
  assert.deepEqual(t.fieldsOf(), t.fieldsOf('source'));
});

test('write: a merge counts a document as written if it has all merged fields, whatever was added', async () => {
  const set = await setup();
  const done = await disturbed(set, { mergeMode: 'merge' }, { 'a/1': { n: integer(1), ...theirs }, 'a/5': { n: integer(5) } });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual([done.written, done.failed], [8, 0]);
  has('a/1', 'order');
});

test('write: skip_existing leaves documents created meanwhile, and counts them as skipped', async () => {
  const set = await setup();
  const done = await disturbed(set, { mergeMode: 'skip_existing' }, { 'a/1': theirs });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual([done.written, done.raced, done.failed], [3, 1, 0]);
  has('a/1', 'order');
});

test('write: without a safety backup an existing document is replaced in any state; one created meanwhile is not', async () => {
  const set = await setup();
  const changes = { 'a/1': theirs, 'a/5': theirs, 'a/6': undefined, 'a/8': theirs };
  const done = await disturbed(set, { mergeMode: 'rollback', safetyBackup: false }, changes);
  assert.deepEqual(done.failures, conflictsOf(['a/1']));
  assert.deepEqual([done.written, done.deleted, done.failed], [7, 2, 1]);
  has('a/1', 'order');
  for (const n of [0, 2, 3, 4, 5, 6, 7]) has(`a/${n}`, 'n');
  assert.deepEqual(
    [...t.documentsIn().keys()].sort(),
    [0, 1, 2, 3, 4, 5, 6, 7].map((n) => `a/${n}`),
  );
});

test('write: an undo also leaves documents that were changed after its check', async () => {
  const { backup } = await setup();
  const done = await t.restore(backup, { mergeMode: 'rollback' });
  const safety = t.backupOf(done.journal.backupId);
  const undo = await disturbed(
    { backup: safety },
    { mergeMode: 'rollback', undoOf: done.id },
    { 'a/0': theirs, 'a/4': theirs, 'a/9': theirs },
  );
  assert.equal(undo.status, 'failed');
  assert.deepEqual(undo.failures, conflictsOf(['a/0', 'a/4', 'a/9']));
  for (const n of [0, 4, 9]) has(`a/${n}`, 'order');
  for (const n of [5, 6, 7, 8]) has(`a/${n}`, 'old');
  assert.deepEqual(
    [...t.documentsIn().keys()].sort(),
    [0, 4, 5, 6, 7, 8, 9].map((n) => `a/${n}`),
  );
});

test('write: a restore resumed days later leaves documents that have changed since, and lists them', async () => {
  const { backup } = await setup();
  const id = await t.startRestore(backup, { mergeMode: 'rollback' });
  await t.runRestore(id, { upTo: 'seal' });
  const organization = t.organization;
  const acting = {
    tenant: t.tenant,
    organization,
    role: 'owner',
    actor: { type: 'user', id: newId('user'), email: null },
  } as const;
  await commit((await cancelRestore(acting, id, t.clock.now())).change.writes);
  await endCancelled(t, id);
  await t.putTarget({ 'a/2': theirs, 'a/7': theirs, 'a/9': theirs });
  await commit((await resumeRestore(t.tenant, t.restoreOf(id), t.clock.now())).change.writes);
  const done = await t.runRestore(id);
  assert.equal(done.error?.code, 'COUNT_MISMATCH');
  assert.deepEqual(done.failures, conflictsOf(['a/2', 'a/7', 'a/9']));
  assert.deepEqual([done.written, done.deleted, done.failed], [6, 1, 3]);
  for (const n of [2, 7, 9]) has(`a/${n}`, 'order');
  // Resumed again, it recognizes its own writes and still leaves the rest.
  const before = t.documentsIn();
  await commit((await resumeRestore(t.tenant, t.restoreOf(id), t.clock.now())).change.writes);
  const again = await t.runRestore(id);
  assert.deepEqual([again.written, again.deleted, again.failed], [6, 1, 3]);
  assert.deepEqual(t.documentsIn(), before);
});

test('write: an undisturbed restore reads nothing while it writes', async () => {
  const { backup } = await setup();
  const id = await t.startRestore(backup, { mergeMode: 'rollback' });
  const done = await t.runRestore(id, {
    onStep: (step) => {
      if (step === 'write') t.server.faults.resetCalls();
    },
  });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual(Object.keys(t.server.faults.calls), ['BatchWrite']);
});
