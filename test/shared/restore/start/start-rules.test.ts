/** In which state a restore can be cancelled, resumed and undone. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { beforeEach, describe, test } from 'vitest';
import { restoreStatuses } from '../../../../shared/contract/job-enums.ts';
import type { CallerContext } from '../../../../shared/organization/index.ts';
import { after, type Change, commit, iso, newId, StaleReadError } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import { failRestore, failureReason } from '../../../../shared/restore/end/fail-restore.ts';
import { getRestore } from '../../../../shared/restore/model/get-restore.ts';
import { type RestoreRecord, restoreKey } from '../../../../shared/restore/model/record.ts';
import { restoreData } from '../../../../shared/restore/model/restore-view.ts';
import { closeUndoWindow } from '../../../../shared/restore/model/undo-window.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { undoRestore } from '../../../../shared/restore/start/undo-restore.ts';
import { type BackupRecord, backupKey, deleteBackup } from '../../../../shared/stored-backup/index.ts';
import {
  begin,
  code,
  destination,
  now,
  organization,
  putBackup,
  putRestore,
  resetTable,
  restoringOf,
  table,
  targetId,
  tenant,
} from '../../../harness/builders/sample-restore.ts';

let backup: BackupRecord;
let safety: BackupRecord;
beforeEach(() => {
  resetTable();
  backup = putBackup();
  safety = putBackup({ trigger: 'safety', projectId: targetId });
});

const days = (count: number): Date => after(now, count * 24 * 3_600);
const acting = { tenant, organization, actor: { type: 'user', id: newId('user'), email: null } } as unknown as CallerContext;
const recordOf = ({ id }: RestoreRecord) => table.get<RestoreRecord>(restoreKey.restore(tenant, id))!;
const lock = () => table.get(projectKey.job(tenant, targetId));
/** The target, and its database. */
const unlock = (): void => {
  for (const { pk, sk } of table.find(`ORG#${tenant.organizationId}`, 'JOB#')) table.items.delete(`${pk}\n${sk}`);
};
const eventsNow = () => table.find(`ORG#${tenant.organizationId}`, 'EVENT#').map(({ type }) => type);
const tasks = () => table.find(`ORG#${tenant.organizationId}`, 'TASK#').map(({ message }) => JSON.parse(String(message)).task);

/** Sealed, with a safety backup of its own, and ended. */
const ended = (more: Partial<RestoreRecord> = {}): RestoreRecord => {
  const { restore } = begin(backup);
  const journal = { ...restore.journal, backupId: safety.id };
  const sealed = {
    plan: { create: 2, overwrite: 1, skip: 0, delete: 0, unchanged: 4 },
    sealedAt: iso(now),
    safetyBackupId: safety.id,
  };
  const end = { status: 'completed', completedAt: iso(now), undoUntil: iso(days(7)) } as const;
  return putRestore(backup, { ...sealed, ...end, journal, shards: 3, since: 'then', written: 3, ...more });
};
const unsealed = (more: Partial<RestoreRecord> = {}): RestoreRecord => {
  const {
    sealedAt: _,
    safetyBackupId: __,
    ...rest
  } = ended({ status: 'failed', plan: null, undoUntil: null, written: 0, ...more });
  table.put(rest);
  return rest as RestoreRecord;
};

describe('cancelling', () => {
  const cancel = async ({ id }: RestoreRecord) => {
    const { restore, change } = await cancelRestore(acting, id, now);
    await commit(change.writes);
    return restore;
  };

  for (const status of ['pending', 'running'] as const)
    test(`a restore that is ${status} ends at once; its target and backup are released when no writer is active`, async () => {
      const { restore, writes } = begin(backup);
      await commit(writes);
      table.put({ ...restore, status, phase: 'Validating' });
      const cancelled = await cancel(restore);
      deepEqual([cancelled.status, cancelled.error?.code, cancelled.completedAt], ['cancelled', 'CANCELLED', iso(now)]);
      deepEqual(
        [recordOf(restore).status, recordOf(restore).phase, recordOf(restore).undoUntil],
        ['cancelled', 'Validating', null],
      );
      deepEqual([lock()?.jobId, restoringOf(backup)], [restore.id, 1]);
      deepEqual(eventsNow(), ['restore.failed']);
    });

  test('a restore that may be writing is cancelling, however often it is cancelled', async () => {
    const restore = ended({ status: 'running', completedAt: null, undoUntil: null });
    for (const _ of [1, 2]) {
      const { status, cancelling, completedAt, error } = restoreData(await cancel(restore));
      deepEqual([status, cancelling, completedAt, error], ['running', true, null, null]);
    }
    deepEqual([recordOf(restore).failure?.code, eventsNow()], ['CANCELLED', []]);
  });

  test('its writes can be undone for 7 days, and its safety backup is kept that long', async () => {
    const restore = ended({ status: 'running', completedAt: null, undoUntil: null });
    await cancel(restore);
    const { id: restoreJobId, attempt } = restore;
    await failRestore({ tenant, restoreJobId, attempt, reasonOf: (one) => failureReason(one), now });
    const { status, undoUntil, error } = recordOf(restore);
    deepEqual([status, undoUntil, error?.code], ['cancelled', iso(days(7)), 'CANCELLED']);
    equal(table.get<BackupRecord>(backupKey.backup(tenant, safety.id))?.expiresAt, iso(days(7)));
  });

  test('a restore that is sealed concurrently is read again', async () => {
    const restore = unsealed({ status: 'running' });
    const { change } = await cancelRestore(acting, restore.id, now);
    table.put({ ...restore, sealedAt: iso(now), safetyBackupId: safety.id });
    await rejects(commit(change.writes), { name: 'ApiError', code: 'CONFLICT' });
  });

  for (const status of restoreStatuses.filter((one) => one !== 'pending' && one !== 'running'))
    test(`a restore that is ${status} stays as it is`, async () => {
      const restore = ended({ status });
      await rejects(cancel(restore), code('CONFLICT', new RegExp(`this one is ${status}.*/undo`)));
      equal(recordOf(restore).status, status);
    });

  test('an unknown restore', async () => {
    for (const id of [newId('restore'), 'x', '', backup.id])
      await rejects(cancelRestore(acting, id, now), code('RESTORE_NOT_FOUND'));
  });
});

test('a malformed id is an unknown restore', async () => {
  for (const id of [newId('restore'), newId('backup'), 'x', '', 'rst_', '#'])
    await rejects(getRestore(tenant, id), code('RESTORE_NOT_FOUND'));
});

describe('resuming', () => {
  const resume = async (restore: RestoreRecord, at = now) => {
    const { restore: resumed, change } = await resumeRestore(tenant, restore, at);
    await commit(change.writes);
    return resumed;
  };

  for (const status of ['failed', 'cancelled'] as const)
    test(`a restore that is ${status} continues with its plan, its journal and its shards`, async () => {
      const failure = { code: 'INTERNAL_ERROR', message: 'x' } as const;
      const restore = ended({ status, error: failure, failure, trouble: failure, phase: 'Finalizing', toldPercent: 70 });
      const resumed = await resume(restore, days(6));
      deepEqual([resumed.status, resumed.phase, resumed.attempt], ['pending', 'Restoring', 2]);
      const kept = recordOf(restore);
      deepEqual([kept.error, kept.completedAt, kept.undoUntil], [null, null, null]);
      deepEqual([kept.failure, kept.trouble], [undefined, undefined]);
      deepEqual([kept.plan, kept.shards, kept.since, kept.written, kept.toldPercent], [restore.plan, 3, 'then', 3, 70]);
      deepEqual(kept.journal, restore.journal);
      deepEqual([restoringOf(backup), restoringOf(safety), lock()?.jobId], [1, 1, restore.id]);
      deepEqual(tasks(), [{ kind: 'start-restore', restoreJobId: restore.id, attempt: 2 }]);
      equal(table.get(restoreKey.running(tenant, restore.id))?.attempt, 2);
    });

  test('a restore without a complete plan starts over, with a new journal', async () => {
    const restore = unsealed({ expected: 10, checked: 5, phase: 'Validating' });
    const resumed = await resume(restore);
    deepEqual([resumed.status, resumed.phase], ['pending', 'Initializing']);
    const kept = recordOf(restore);
    deepEqual([kept.expected, kept.checked, kept.plan, kept.shards, kept.since], [0, 0, null, undefined, undefined]);
    ok(kept.journal.backupId !== restore.journal.backupId);
    equal(kept.journal.path, `kept/here/${targetId}/${kept.journal.backupId}`);
    deepEqual(
      kept.givenUp?.map(({ backupId }) => backupId),
      [restore.journal.backupId],
    );
    equal(kept.journal.storageDestination.id, destination.id);
  });

  const refused: readonly (readonly [string, () => RestoreRecord, RegExp, number?])[] = [
    ['a pending restore', () => ended({ status: 'pending' }), /needs no resume/],
    ['a running restore', () => ended({ status: 'running' }), /needs no resume/],
    ['a completed restore', () => ended(), /nothing left to resume.*undo/],
    ['an undone restore', () => ended({ status: 'failed', undoneBy: 'rst_x' }), /undone by rst_x; start another/],
    ['a partly undone restore', () => ended({ status: 'failed', undoBegunBy: 'rst_x' }), /started by rst_x; resume that one/],
    [
      'a restore that moved with its project',
      () => ended({ status: 'failed', isCarried: true }),
      /another organization; start another/,
    ],
    ['a dry run', () => ended({ status: 'failed', dryRun: true }), /request the plan again/],
    ['a restore that ended a week ago', () => ended({ status: 'failed' }), /could be resumed until .*; start another/, 7],
  ];
  for (const [what, make, message, day = 0] of refused)
    test(`${what} is refused with advice`, async () => {
      const restore = make();
      await rejects(resume(restore, days(day)), code('CONFLICT', message));
      deepEqual([recordOf(restore).attempt, lock(), restoringOf(backup)], [1, undefined, undefined]);
    });

  test('a cancelled restore that still writes is refused until it has stopped', async () => {
    const restore = ended({ status: 'cancelled' });
    table.put({ ...projectKey.job(tenant, targetId), jobId: restore.id, kind: 'restore', since: '' });
    await rejects(resume(restore), code('JOB_IN_PROGRESS', /still writing/));
    table.put({ ...projectKey.job(tenant, targetId), jobId: 'bkp_x', kind: 'backup', since: '' });
    await rejects(resume(restore), code('JOB_IN_PROGRESS', /A backup/));
  });

  test('of two concurrent resumes one succeeds', async () => {
    const restore = ended({ status: 'failed' });
    const both = await Promise.all([resumeRestore(tenant, restore, now), resumeRestore(tenant, restore, now)]);
    await commit(both[0].change.writes);
    await rejects(commit(both[1].change.writes), code('CONFLICT'));
    deepEqual([recordOf(restore).attempt, restoringOf(backup), restoringOf(safety)], [2, 1, 1]);
  });

  test('without its backup, safety backup or target it is refused', async () => {
    const restore = ended({ status: 'failed' });
    table.put({ ...backup, status: 'deleted' });
    await rejects(resume(restore), code('BACKUP_NOT_FOUND'));
    table.put(backup);
    table.put({ ...safety, status: 'deleted' });
    await rejects(resume(restore), code('BACKUP_NOT_FOUND', /safety backup.*start another/));
    table.put(safety);
    await rejects(resume({ ...restore, targetProjectId: newId('project') }), code('PROJECT_NOT_FOUND'));
  });
});

describe('undoing', () => {
  const by = { encryption: { mode: 'kms', keyId: 'arn' } as const, createdBy: { type: 'user', id: 'usr_x' } };
  const undo = async (restore: RestoreRecord, at = now) => {
    const { restore: begun, change } = await undoRestore(tenant, { restore, caller: by, now: at });
    await commit(change.writes);
    return { begun, change: change as Change };
  };

  for (const status of ['completed', 'failed', 'cancelled'] as const)
    test(`a restore that is ${status} is another restore, from its safety backup, with a safety backup of its own`, async () => {
      const restore = ended({ status, includeAuthUsers: true, maxWritesPerSecond: 9 });
      const { begun, change } = await undo(restore, days(6.9));
      deepEqual([begun.backupId, begun.undoOf, begun.mergeMode, begun.collections], [safety.id, restore.id, 'rollback', ['*']]);
      deepEqual(
        [begun.targetProjectId, begun.projectId, begun.safetyBackup, begun.includeAuthUsers],
        [targetId, targetId, true, true],
      );
      deepEqual([begun.maxWritesPerSecond, begun.dryRun, begun.attempt], [9, false, 1]);
      ok(begun.journal.backupId !== safety.id);
      // The undo of an incomplete restore reads its backup.
      const isClean = status === 'completed';
      deepEqual(begun.leftBy, isClean ? undefined : { backupId: backup.id, mergeMode: restore.mergeMode });
      deepEqual([restoringOf(safety), restoringOf(backup), lock()?.jobId], [1, isClean ? undefined : 1, begun.id]);
      // `undoneBy` is set only when the undo has completed.
      deepEqual([recordOf(restore).undoneBy, recordOf(restore).undoBegunBy], [null, begun.id]);
      deepEqual(change.audit[0]?.resource, { type: 'restore', id: restore.id });
      equal(change.audit[0]?.details?.restoreJobId, begun.id);
    });

  const refused: readonly (readonly [string, () => RestoreRecord, RegExp, number?])[] = [
    ['a pending restore', () => ended({ status: 'pending' }), /is pending; cancel it first/],
    ['a running restore', () => ended({ status: 'running' }), /is running; cancel it first/],
    ['an undone restore', () => ended({ undoneBy: 'rst_x' }), /to reapply it, undo rst_x/],
    ['a dry run', () => ended({ dryRun: true }), /nothing to undo/],
    ['a restore that failed before it wrote', () => unsealed(), /failed before it wrote anything/],
    ['a restore of a week ago', () => ended(), /could be undone until .*; restore a backup/, 7],
  ];
  for (const [what, make, message, day = 0] of refused)
    test(`${what} is refused with the reason`, async () => {
      await rejects(undo(make(), days(day)), code('CONFLICT', message));
      deepEqual([lock(), restoringOf(safety)], [undefined, undefined]);
    });

  test('a restore without a safety backup, and one that touched nothing, are refused', async () => {
    const { safetyBackupId: _, ...bare } = ended();
    await rejects(undo({ ...bare, safetyBackup: false } as RestoreRecord), code('CONFLICT', /without a safety backup/));
    await rejects(undo(bare as RestoreRecord), code('CONFLICT', /found nothing to write/));
  });

  test('a restore whose safety backup or target is gone is refused', async () => {
    const restore = ended();
    table.put({ ...safety, status: 'deleted' });
    await rejects(undo(restore), code('BACKUP_NOT_FOUND', /safety backup/));
    table.put(safety);
    await rejects(undo({ ...restore, targetProjectId: newId('project') }), code('PROJECT_NOT_FOUND'));
  });

  const unclean: readonly (readonly [string, Partial<RestoreRecord>])[] = [
    ['failed', { status: 'failed' }],
    ['was cancelled', { status: 'cancelled' }],
    ['found documents created by others', { raced: 1 }],
    ['could not write a document', { failed: 1 }],
    ['could not import a user', { users: { restored: 1, deleted: 0, skipped: 0, failed: 1 } }],
    ['found users created by others', { users: { restored: 1, deleted: 0, skipped: 3, failed: 0 }, racedUsers: 1 }],
    ['skipped users at an unknown time', { users: { restored: 1, deleted: 0, skipped: 3, failed: 0 } }],
  ];
  for (const [what, more] of unclean)
    test(`a restore that ${what} and whose backup is gone is refused: its documents cannot be told from others`, async () => {
      const restore = ended(more);
      table.put({ ...backup, status: 'deleted' });
      await rejects(undo(restore), code('CONFLICT', /cannot be told from others/));
      deepEqual([lock(), restoringOf(safety)], [undefined, undefined]);
    });

  test('a complete restore does not need its backup', async () => {
    const users = { restored: 1, deleted: 0, skipped: 3, failed: 0 };
    const restore = ended({ users, racedUsers: 0 });
    table.put({ ...backup, status: 'deleted' });
    equal((await undo(restore)).begun.leftBy, undefined);
  });

  test('is no longer possible once the safety backup is deleted', async () => {
    const restore = ended();
    await removeSafety({ safetyOf: restore.id });
    deepEqual([recordOf(restore).undoUntil, recordOf(restore).safetyBackupId], [null, safety.id]);
    await rejects(undo(recordOf(restore)), code('CONFLICT', /its safety backup was deleted/));
  });

  test('of a concurrent undo and deletion of the safety backup, one succeeds', async () => {
    const restore = ended();
    const late = await undoRestore(tenant, { restore, caller: by, now });
    const deletion = await deletionOf({ safetyOf: restore.id });
    await undo(restore);
    await rejects(commit(deletion), StaleReadError);
    table.put(safety);
    unlock();
    table.put(restore);
    await commit(deletion);
    await rejects(commit(late.change.writes));
    equal(recordOf(restore).undoBegunBy, undefined);
  });

  test('succeeds once, of concurrent and of repeated requests', async () => {
    const restore = ended();
    const late = await undoRestore(tenant, { restore, caller: by, now });
    await undo(restore);
    await rejects(commit(late.change.writes), code('JOB_IN_PROGRESS'));
    unlock();
    table.put({ ...recordOf(restore), undoneBy: 'rst_x' });
    await rejects(commit(late.change.writes), code('CONFLICT'));
  });
});

const deletionOf = async (more: Partial<BackupRecord>) => {
  const deleted = { ...safety, ...more };
  return [
    ...deleteBackup(tenant, { backup: deleted, child: undefined, now }).writes,
    ...(await closeUndoWindow(tenant, deleted)),
  ];
};
const removeSafety = async (more: Partial<BackupRecord>) => commit(await deletionOf(more));

describe('deleting a backup', () => {
  const statusOf = ({ id }: BackupRecord) => table.get<BackupRecord>(backupKey.backup(tenant, id))?.status;

  test('succeeds whether or not the restore it is the safety backup of exists', async () => {
    await removeSafety({ safetyOf: newId('restore') });
    equal(statusOf(safety), 'deleted');
  });
  test('changes no other restore', async () => {
    const restore = ended();
    await removeSafety({});
    deepEqual([statusOf(safety), recordOf(restore)], ['deleted', restore]);
  });
  test('is re-evaluated if the restore is moved at the same time', async () => {
    const restore = ended();
    const key = `${restore.pk}\n${restore.sk}`;
    const beside = await deletionOf({ safetyOf: restore.id });
    table.items.delete(key);
    await rejects(commit(beside), StaleReadError);
    const without = await deletionOf({ safetyOf: restore.id });
    table.put(restore);
    await rejects(commit(without), StaleReadError);
    equal(statusOf(safety), 'completed');
  });
});
