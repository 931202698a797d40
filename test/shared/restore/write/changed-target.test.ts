/** Documents that others change in the target during a restore are never replaced unsaved. */
import assert from 'node:assert/strict';
import { test } from 'vitest';
import { commit, newId } from '../../../../shared/platform/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import { cleanUpRestore } from '../../../../shared/restore/end/clean-up-restore.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import {
  backupOf,
  createRestoreEnv,
  documentsIn,
  type Fields,
  fieldsOf,
  organizationNow,
  put,
  putTarget,
  type RestoreEnv,
  type RestoreInput,
  restore,
  restoreOf,
  runRestore,
  server,
  startTestRestore,
  takeBackup,
  tenant,
} from '../../../harness/env/restore-env.ts';

const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });
const theirs: Fields = { order: { stringValue: 'paid' } };
const message = 'Changed in the target since it was saved; restore it again';
const told = (paths: readonly string[]) => paths.map((path) => ({ path, code: 'FAILED_PRECONDITION', message }));

/** 0 to 3 are to be created, 4 to 7 to be overwritten; with rollback 8 and 9 are to be deleted. */
const setup = async () => {
  const world = createRestoreEnv();
  await put(world, Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`a/${n}`, { n: integer(n) }])));
  const backup = await takeBackup(world);
  await putTarget(world, Object.fromEntries([4, 5, 6, 7, 8, 9].map((n) => [`a/${n}`, { old: integer(n) }])));
  server.faults.resetCalls();
  return { world, backup };
};

/** Runs a restore beside which someone changes the target once all is saved. */
const disturbed = async (
  { world, backup }: Awaited<ReturnType<typeof setup>>,
  ask: RestoreInput,
  changes: Readonly<Record<string, Fields | undefined>>,
) => {
  const id = await startTestRestore(world, backup, ask);
  let isDone = false;
  return runRestore(world, id, {
    onStep: async (step) => {
      if (step !== 'write' || isDone) return;
      isDone = true;
      await putTarget(world, changes);
    },
  });
};

const has = (world: RestoreEnv, path: string, field: string): void =>
  assert.match(fieldsOf(world).get(path) ?? 'nothing', new RegExp(`"${field}"`), path);

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
    assert.deepEqual(done.failures, told(failed));
    assert.deepEqual([done.written, done.deleted, done.raced, done.failed], [5, isRollback ? 1 : 0, 0, failed.length]);
    for (const path of failed.filter((path) => path !== 'a/6')) has(set.world, path, 'order');
    assert.equal(documentsIn(set.world).has('a/6'), false);
    for (const n of [0, 2, 3, 4, 7]) has(set.world, `a/${n}`, 'n');
    assert.equal(documentsIn(set.world).has('a/9'), !isRollback);
    // A second restore saves and replaces their changes.
    const again = await restore(set.world, backupOf(set.backup.id), { mergeMode });
    assert.equal(again.status, 'completed', JSON.stringify(again.error));
    for (const n of [1, 5, 6]) has(set.world, `a/${n}`, 'n');
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
  assert.deepEqual(fieldsOf(set.world), fieldsOf(set.world, 'source'));
});

test('write: a merge counts a document as written if it has all merged fields, whatever was added', async () => {
  const set = await setup();
  const done = await disturbed(set, { mergeMode: 'merge' }, { 'a/1': { n: integer(1), ...theirs }, 'a/5': { n: integer(5) } });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual([done.written, done.failed], [8, 0]);
  has(set.world, 'a/1', 'order');
});

test('write: skip_existing leaves documents created meanwhile, and counts them as skipped', async () => {
  const set = await setup();
  const done = await disturbed(set, { mergeMode: 'skip_existing' }, { 'a/1': theirs });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual([done.written, done.raced, done.failed], [3, 1, 0]);
  has(set.world, 'a/1', 'order');
});

test('write: without a safety backup an existing document is replaced in any state; one created meanwhile is not', async () => {
  const set = await setup();
  const changes = { 'a/1': theirs, 'a/5': theirs, 'a/6': undefined, 'a/8': theirs };
  const done = await disturbed(set, { mergeMode: 'rollback', safetyBackup: false }, changes);
  assert.deepEqual(done.failures, told(['a/1']));
  assert.deepEqual([done.written, done.deleted, done.failed], [7, 2, 1]);
  has(set.world, 'a/1', 'order');
  for (const n of [0, 2, 3, 4, 5, 6, 7]) has(set.world, `a/${n}`, 'n');
  assert.deepEqual(
    [...documentsIn(set.world).keys()].sort(),
    [0, 1, 2, 3, 4, 5, 6, 7].map((n) => `a/${n}`),
  );
});

test('write: an undo also leaves documents that were changed after its check', async () => {
  const { world, backup } = await setup();
  const done = await restore(world, backup, { mergeMode: 'rollback' });
  const safety = backupOf(done.journal.backupId);
  const undo = await disturbed(
    { world, backup: safety },
    { mergeMode: 'rollback', undoOf: done.id },
    { 'a/0': theirs, 'a/4': theirs, 'a/9': theirs },
  );
  assert.equal(undo.status, 'failed');
  assert.deepEqual(undo.failures, told(['a/0', 'a/4', 'a/9']));
  for (const n of [0, 4, 9]) has(world, `a/${n}`, 'order');
  for (const n of [5, 6, 7, 8]) has(world, `a/${n}`, 'old');
  assert.deepEqual(
    [...documentsIn(world).keys()].sort(),
    [0, 4, 5, 6, 7, 8, 9].map((n) => `a/${n}`),
  );
});

test('write: a restore resumed days later leaves documents that have changed since, and lists them', async () => {
  const { world, backup } = await setup();
  const id = await startTestRestore(world, backup, { mergeMode: 'rollback' });
  await runRestore(world, id, { upTo: 'seal' });
  const organization = organizationNow();
  const acting = { tenant, organization, role: 'owner', actor: { type: 'user', id: newId('user'), email: null } } as const;
  await commit((await cancelRestore(acting, id, world.engine.clock.now())).change.writes);
  await cleanUpRestore(tenant, id, world.engine);
  await putTarget(world, { 'a/2': theirs, 'a/7': theirs, 'a/9': theirs });
  await commit((await resumeRestore(tenant, restoreOf(id), world.engine.clock.now())).change.writes);
  const done = await runRestore(world, id);
  assert.equal(done.error?.code, 'COUNT_MISMATCH');
  assert.deepEqual(done.failures, told(['a/2', 'a/7', 'a/9']));
  assert.deepEqual([done.written, done.deleted, done.failed], [6, 1, 3]);
  for (const n of [2, 7, 9]) has(world, `a/${n}`, 'order');
  // Resumed again, it recognizes its own writes and still leaves the rest.
  const before = documentsIn(world);
  await commit((await resumeRestore(tenant, restoreOf(id), world.engine.clock.now())).change.writes);
  const again = await runRestore(world, id);
  assert.deepEqual([again.written, again.deleted, again.failed], [6, 1, 3]);
  assert.deepEqual(documentsIn(world), before);
});

test('write: an undisturbed restore reads nothing while it writes', async () => {
  const { world, backup } = await setup();
  const id = await startTestRestore(world, backup, { mergeMode: 'rollback' });
  const done = await runRestore(world, id, {
    onStep: (step) => {
      if (step === 'write') server.faults.resetCalls();
    },
  });
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual(Object.keys(server.faults.calls), ['BatchWrite']);
});
