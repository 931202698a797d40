/** Undo, over the real steps: the restored documents are undone, and changes of others since then stay. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { beforeEach, describe, test } from 'vitest';
import type { CallerContext } from '../../../../shared/organization/index.ts';
import { commit, newId } from '../../../../shared/platform/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { undoRestore } from '../../../../shared/restore/start/undo-restore.ts';
import { endCancelled } from '../../../harness/env/restore/end-cancelled.ts';
import { createRestoreEnv, type Fields, firstRestoreStep, type RestoreInput } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

beforeEach(() => {
  t.server.faults.clear();
  t.reset();
});

const text = (stringValue: string): Fields => ({ text: { stringValue } });
const all = (paths: readonly string[], value: string) => Object.fromEntries(paths.map((path) => [path, text(value)]));
const by = { encryption: { mode: 'kms', keyId: 'key' } as const, createdBy: { type: 'user', id: newId('user') } };
const acting = () =>
  ({
    tenant: t.tenant,
    organization: t.organization,
    role: 'owner',
    actor: { type: 'user', id: newId('user'), email: null },
  }) as CallerContext;

const beginUndo = async (id: string): Promise<string> => {
  const { restore: begun, change } = await undoRestore(t.tenant, { restore: t.restoreOf(id), caller: by, now: t.clock.now() });
  await commit(change.writes);
  return begun.id;
};
const undo = async (id: string) => t.runRestore(await beginUndo(id));

/** A restore whose target others change between the check and the writes. */
const overtaken = async (ask: RestoreInput, theirs: Readonly<Record<string, Fields | undefined>>): Promise<string> => {
  const id = await t.startRestore(await t.takeBackup(), ask);
  await t.runRestore(id, { upTo: 'seal' });
  await t.putTarget(theirs);
  await t.runRestore(id);
  return id;
};
const cancel = async (id: string): Promise<void> => {
  const { change } = await cancelRestore(acting(), id, t.clock.now());
  await commit(change.writes);
  await endCancelled(t, id);
};

describe('undo of a complete restore', () => {
  test('undoes each document, whatever happened to it since', async () => {
    await t.put(all(['a/1', 'a/2'], 'backed up'));
    await t.putTarget(all(['a/2', 'b/1'], 'before'));
    const before = t.fieldsOf();
    const done = await t.restore(await t.takeBackup(), { mergeMode: 'rollback' });
    await t.putTarget(all(['a/1', 'a/2'], 'since'));
    const undone = await undo(done.id);
    deepEqual([undone.status, undone.plan?.skip, undone.leftBy], ['completed', 0, undefined]);
    deepEqual(t.fieldsOf(), before);
  });

  test('of a restore test: documents that others have changed or deleted since stay so', async () => {
    await t.put(all(['a/1', 'a/2', 'a/3', 'a/4'], 'backed up'));
    await t.putTarget(all(['a/2', 'a/3', 'b/1'], 'before'));
    const done = await t.restore(await t.takeBackup(), { mergeMode: 'overwrite' });
    await t.putTarget({ 'a/1': text('theirs'), 'a/3': undefined });
    const theirs = t.fieldsOf().get('a/1');
    const { restore, change } = await undoRestore(t.tenant, {
      restore: done,
      caller: { ...by, keepsChanged: true },
      now: t.clock.now(),
    });
    await commit(change.writes);
    const undone = await t.runRestore(restore.id);
    deepEqual([undone.status, undone.plan?.skip], ['completed', 2]);
    const before = t.fieldsOf().get('b/1');
    deepEqual(
      [...t.fieldsOf()],
      [
        ['a/1', theirs],
        ['a/2', before],
        ['b/1', before],
      ],
    );
  });
});

describe('undo of an incomplete restore', () => {
  test('a document that others created and the restore skipped stays', async () => {
    await t.put(all(['a/1', 'a/2'], 'backed up'));
    const id = await overtaken({ mergeMode: 'skip_existing' }, all(['a/1'], 'theirs'));
    deepEqual([t.restoreOf(id).status, t.restoreOf(id).written, t.restoreOf(id).raced], ['completed', 1, 1]);
    const theirs = t.documentsIn().get('a/1');
    const undone = await undo(id);
    deepEqual([undone.status, undone.deleted, undone.plan?.skip], ['completed', 1, 1]);
    deepEqual([...t.documentsIn()], [['a/1', theirs]]);
  });

  for (const mergeMode of ['overwrite', 'merge', 'rollback'] as const)
    test(`documents it wrote are undone, others stay (${mergeMode})`, async () => {
      const paths = ['a/1', 'a/2', 'a/3', 'a/4'];
      await t.put(all(paths, 'backed up'));
      await t.putTarget(all(['a/1', 'a/2', 'b/1', 'b/2'], 'before'));
      const before = t.fieldsOf();
      const id = await overtaken({ mergeMode }, all(['a/2', 'a/4', 'b/2'], 'theirs'));
      equal(t.restoreOf(id).status, 'failed');
      // One of the written documents is changed afterwards.
      await t.putTarget(all(['a/3'], 'since'));
      const expected = new Map([...before, ...[...t.fieldsOf()].filter(([path]) => ['a/2', 'a/3', 'a/4', 'b/2'].includes(path))]);
      const undone = await undo(id);
      equal(undone.status, 'completed');
      deepEqual(new Map([...t.fieldsOf()].sort()), new Map([...expected].sort()));
      equal(undone.plan?.skip, mergeMode === 'rollback' ? 4 : 3);
    });

  test('documents that others have written since stay, even if the restore wrote nothing', async () => {
    await t.put(all(['a/1', 'a/2', 'a/3'], 'backed up'));
    await t.putTarget(all(['a/2', 'a/3', 'b/1'], 'before'));
    const id = await t.startRestore(await t.takeBackup(), { mergeMode: 'rollback' });
    await t.runRestore(id, { upTo: 'seal' });
    await cancel(id);
    await t.putTarget({ ...all(['a/1', 'a/2'], 'theirs'), 'b/1': undefined, 'b/2': text('theirs') });
    const live = t.documentsIn();
    const undone = await undo(id);
    // A document deleted meanwhile is as the restore would have left it.
    deepEqual([undone.status, undone.plan], ['completed', { create: 1, overwrite: 0, delete: 0, skip: 2, unchanged: 1 }]);
    deepEqual(new Map([...t.documentsIn()].filter(([path]) => path !== 'b/1')), live);
  });

  test('the backup of the restore is held while the undo runs, in every attempt', async () => {
    await t.put(all(['a/1', 'a/2'], 'backed up'));
    const id = await overtaken({}, all(['a/1'], 'theirs'));
    const { backupId } = t.restoreOf(id);
    const held = () => t.backupOf(backupId).restoring ?? 0;
    equal(held(), 0);
    const undoing = await beginUndo(id);
    equal(held(), 1);
    await t.runRestore(undoing, { upTo: 'prepare' });
    await cancel(undoing);
    equal(held(), 0);
    const { change } = await resumeRestore(t.tenant, t.restoreOf(undoing), t.clock.now());
    await commit(change.writes);
    equal(held(), 1);
    equal((await t.runRestore(undoing)).status, 'completed');
    equal(held(), 0);
    deepEqual([...t.fieldsOf().keys()], ['a/1']);
  });

  test('once planned, the undo resumes without that backup; before that, it is refused', async () => {
    await t.put(all(['a/1', 'a/2'], 'backed up'));
    const id = await overtaken({}, all(['a/1'], 'theirs'));
    const { backupId } = t.restoreOf(id);
    const stopped = async (upTo: 'prepare' | 'seal'): Promise<string> => {
      const undoing = await beginUndo(id);
      await t.runRestore(undoing, { upTo });
      await cancel(undoing);
      return undoing;
    };
    const [early, late] = [await stopped('prepare'), await stopped('seal')];
    const backup = t.backupOf(backupId);
    t.table.put({ ...backup, status: 'deleted' });
    const resume = async (undoing: string) => {
      const { change } = await resumeRestore(t.tenant, t.restoreOf(undoing), t.clock.now());
      await commit(change.writes);
      return t.runRestore(undoing);
    };
    await rejects(resume(early), { code: 'BACKUP_NOT_FOUND' });
    equal((await resume(late)).status, 'completed');
    deepEqual([[...t.fieldsOf().keys()], t.backupOf(backupId).restoring], [['a/1'], 0]);
  });

  test('an incomplete undo is undone the same way', async () => {
    await t.put(all(['a/1', 'a/2', 'a/3'], 'backed up'));
    await t.putTarget(all(['a/1', 'a/2'], 'before'));
    const done = await t.restore(await t.takeBackup());
    const restored = t.fieldsOf();
    const undoing = await beginUndo(done.id);
    const at = firstRestoreStep();
    await t.resumeRestore(undoing, at, { upTo: 'seal' });
    await t.putTarget(all(['a/2'], 'theirs'));
    await rejects(t.resumeRestore(undoing, at));
    await t.runRestore(undoing);
    equal(t.restoreOf(undoing).status, 'failed');
    const theirs = t.fieldsOf().get('a/2');
    const again = await undo(undoing);
    deepEqual([again.status, again.plan], ['completed', { create: 1, overwrite: 1, delete: 0, skip: 1, unchanged: 0 }]);
    deepEqual(t.fieldsOf(), new Map([...restored, ['a/2', theirs]]));
  });
});
