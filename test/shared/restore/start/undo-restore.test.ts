/** Undo, over the real steps: the restored documents are undone, and changes of others since then stay. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { beforeEach, describe, test } from 'vitest';
import type { CallerContext } from '../../../../shared/organization/index.ts';
import { commit, newId } from '../../../../shared/platform/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import { cleanUpRestore } from '../../../../shared/restore/end/clean-up-restore.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { undoRestore } from '../../../../shared/restore/start/undo-restore.ts';
import {
  atStart,
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
  resumeWorkflow,
  runRestore,
  server,
  startTestRestore,
  table,
  takeBackup,
  tenant,
} from '../../../harness/env/restore-env.ts';

let world: RestoreEnv;
beforeEach(() => {
  server.faults.clear();
  world = createRestoreEnv();
});

const text = (stringValue: string): Fields => ({ text: { stringValue } });
const all = (paths: readonly string[], value: string) => Object.fromEntries(paths.map((path) => [path, text(value)]));
const by = { encryption: { mode: 'kms', keyId: 'key' } as const, createdBy: { type: 'user', id: newId('user') } };
const acting = () =>
  ({
    tenant,
    organization: organizationNow(),
    role: 'owner',
    actor: { type: 'user', id: newId('user'), email: null },
  }) as CallerContext;

const beginUndo = async (id: string): Promise<string> => {
  const { restore: begun, change } = await undoRestore(tenant, restoreOf(id), by, world.engine.clock.now());
  await commit(change.writes);
  return begun.id;
};
const undo = async (id: string) => runRestore(world, await beginUndo(id));

/** Planned and saved, then changed by others, then written. */
const overtaken = async (ask: RestoreInput, theirs: Readonly<Record<string, Fields | undefined>>): Promise<string> => {
  const id = await startTestRestore(world, await takeBackup(world), ask);
  await runRestore(world, id, { upTo: 'seal' });
  await putTarget(world, theirs);
  await runRestore(world, id);
  return id;
};
const cancel = async (id: string): Promise<void> => {
  const { change } = await cancelRestore(acting(), id, world.engine.clock.now());
  await commit(change.writes);
  await cleanUpRestore(tenant, id, world.engine);
};

describe('undo of a complete restore', () => {
  test('undoes each document, whatever happened to it since', async () => {
    await put(world, all(['a/1', 'a/2'], 'backed up'));
    await putTarget(world, all(['a/2', 'b/1'], 'before'));
    const before = fieldsOf(world);
    const done = await restore(world, await takeBackup(world), { mergeMode: 'rollback' });
    await putTarget(world, all(['a/1', 'a/2'], 'since'));
    const undone = await undo(done.id);
    deepEqual([undone.status, undone.plan?.skip, undone.leftBy], ['completed', 0, undefined]);
    deepEqual(fieldsOf(world), before);
  });
});

describe('undo of an incomplete restore', () => {
  test('a document that others created and the restore skipped stays', async () => {
    await put(world, all(['a/1', 'a/2'], 'backed up'));
    const id = await overtaken({ mergeMode: 'skip_existing' }, all(['a/1'], 'theirs'));
    deepEqual([restoreOf(id).status, restoreOf(id).written, restoreOf(id).raced], ['completed', 1, 1]);
    const theirs = documentsIn(world).get('a/1');
    const undone = await undo(id);
    deepEqual([undone.status, undone.deleted, undone.plan?.skip], ['completed', 1, 1]);
    deepEqual([...documentsIn(world)], [['a/1', theirs]]);
  });

  for (const mergeMode of ['overwrite', 'merge', 'rollback'] as const)
    test(`documents it wrote are undone, others stay (${mergeMode})`, async () => {
      const paths = ['a/1', 'a/2', 'a/3', 'a/4'];
      await put(world, all(paths, 'backed up'));
      await putTarget(world, all(['a/1', 'a/2', 'b/1', 'b/2'], 'before'));
      const before = fieldsOf(world);
      const id = await overtaken({ mergeMode }, all(['a/2', 'a/4', 'b/2'], 'theirs'));
      equal(restoreOf(id).status, 'failed');
      // One of the written documents is changed afterwards.
      await putTarget(world, all(['a/3'], 'since'));
      const expected = new Map([
        ...before,
        ...[...fieldsOf(world)].filter(([path]) => ['a/2', 'a/3', 'a/4', 'b/2'].includes(path)),
      ]);
      const undone = await undo(id);
      equal(undone.status, 'completed');
      deepEqual(new Map([...fieldsOf(world)].sort()), new Map([...expected].sort()));
      equal(undone.plan?.skip, mergeMode === 'rollback' ? 4 : 3);
    });

  test('documents that others have written since stay, even if the restore wrote nothing', async () => {
    await put(world, all(['a/1', 'a/2', 'a/3'], 'backed up'));
    await putTarget(world, all(['a/2', 'a/3', 'b/1'], 'before'));
    const id = await startTestRestore(world, await takeBackup(world), { mergeMode: 'rollback' });
    await runRestore(world, id, { upTo: 'seal' });
    await cancel(id);
    await putTarget(world, { ...all(['a/1', 'a/2'], 'theirs'), 'b/1': undefined, 'b/2': text('theirs') });
    const live = documentsIn(world);
    const undone = await undo(id);
    // A document deleted meanwhile is as the restore would have left it.
    deepEqual([undone.status, undone.plan], ['completed', { create: 1, overwrite: 0, delete: 0, skip: 2, unchanged: 1 }]);
    deepEqual(new Map([...documentsIn(world)].filter(([path]) => path !== 'b/1')), live);
  });

  test('the backup of the restore is held while the undo runs, in every attempt', async () => {
    await put(world, all(['a/1', 'a/2'], 'backed up'));
    const id = await overtaken({}, all(['a/1'], 'theirs'));
    const { backupId } = restoreOf(id);
    const held = () => backupOf(backupId).restoring ?? 0;
    equal(held(), 0);
    const undoing = await beginUndo(id);
    equal(held(), 1);
    await runRestore(world, undoing, { upTo: 'prepare' });
    await cancel(undoing);
    equal(held(), 0);
    const { change } = await resumeRestore(tenant, restoreOf(undoing), world.engine.clock.now());
    await commit(change.writes);
    equal(held(), 1);
    equal((await runRestore(world, undoing)).status, 'completed');
    equal(held(), 0);
    deepEqual([...fieldsOf(world).keys()], ['a/1']);
  });

  test('once planned, the undo resumes without that backup; before that, it is refused', async () => {
    await put(world, all(['a/1', 'a/2'], 'backed up'));
    const id = await overtaken({}, all(['a/1'], 'theirs'));
    const { backupId } = restoreOf(id);
    const stopped = async (upTo: 'prepare' | 'seal'): Promise<string> => {
      const undoing = await beginUndo(id);
      await runRestore(world, undoing, { upTo });
      await cancel(undoing);
      return undoing;
    };
    const [early, late] = [await stopped('prepare'), await stopped('seal')];
    const backup = backupOf(backupId);
    table.put({ ...backup, status: 'deleted' });
    const resume = async (undoing: string) => {
      const { change } = await resumeRestore(tenant, restoreOf(undoing), world.engine.clock.now());
      await commit(change.writes);
      return runRestore(world, undoing);
    };
    await rejects(resume(early), { code: 'BACKUP_NOT_FOUND' });
    equal((await resume(late)).status, 'completed');
    deepEqual([[...fieldsOf(world).keys()], backupOf(backupId).restoring], [['a/1'], 0]);
  });

  test('an incomplete undo is undone the same way', async () => {
    await put(world, all(['a/1', 'a/2', 'a/3'], 'backed up'));
    await putTarget(world, all(['a/1', 'a/2'], 'before'));
    const done = await restore(world, await takeBackup(world));
    const restored = fieldsOf(world);
    const undoing = await beginUndo(done.id);
    const at = atStart();
    await resumeWorkflow(world, undoing, at, { upTo: 'seal' });
    await putTarget(world, all(['a/2'], 'theirs'));
    await rejects(resumeWorkflow(world, undoing, at));
    await runRestore(world, undoing);
    equal(restoreOf(undoing).status, 'failed');
    const theirs = fieldsOf(world).get('a/2');
    const again = await undo(undoing);
    deepEqual([again.status, again.plan], ['completed', { create: 1, overwrite: 1, delete: 0, skip: 1, unchanged: 0 }]);
    deepEqual(fieldsOf(world), new Map([...restored, ['a/2', theirs]]));
  });
});
