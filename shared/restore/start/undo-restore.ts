/** Undoes a restore by another restore, from its journal: exactly the documents it touched return to their earlier state. */
import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { readDestination } from '../../destination/index.ts';
import { maskSaltKey } from '../../job/index.ts';
import { type Change, get, iso, StaleReadError, type Tenant, update, type Write } from '../../platform/index.ts';
import { assertNotLeaving, readProject } from '../../project/index.ts';
import { type BackupRecord, backupKey } from '../../stored-backup/index.ts';

import { type RestoreRecord, restoreKey } from '../model/record.ts';
import type { StartRestoreOptions } from '../model/start-options.ts';
import { type StartRestoreContext, startRestore } from './start-restore.ts';

interface UndoRequest extends Pick<StartRestoreContext, 'encryption'>, Pick<StartRestoreOptions, 'createdBy' | 'deleteDigest'> {
  /** Plans the undo with a job that writes nothing. */
  readonly dryRun?: boolean;
  /** Leaves documents as they are that others have changed since the restore; otherwise those of a complete restore are undone, too. */
  readonly keepsChanged?: boolean;
}

/** The undo has a safety backup of its own, so it can be undone, too. */
export const undoRestore = async (
  tenant: Tenant,
  {
    restore,
    caller: { encryption, createdBy, dryRun = false, deleteDigest, keepsChanged = false },
    now,
  }: { readonly restore: RestoreRecord; readonly caller: UndoRequest; readonly now: Date },
): Promise<{ restore: RestoreRecord; change: Change }> => {
  const safetyBackupId = assertUndoable(restore, now);
  const { id, targetProjectId, includeAuthUsers, maxWritesPerSecond } = restore;
  const backup = await readSafetyBackup(tenant, safetyBackupId);
  const leftBy = isComplete(restore) && !keepsChanged ? undefined : await undoSource(tenant, restore);
  const target = await readProject(tenant, targetProjectId);
  const destination = await readDestination(tenant, backup.storageDestination.id);
  const { restore: undo, writes } = startRestore(
    { tenant, backup, project: target, target, destination, encryption },
    {
      mergeMode: 'rollback',
      dryRun,
      collections: ['*'],
      includeSubcollections: true,
      includeAuthUsers,
      safetyBackup: true,
      maxWritesPerSecond,
      deleteDigest,
      undoOf: id,
      ...(leftBy && { leftBy }),
      createdBy,
    },
    now,
  );
  return {
    restore: undo,
    change: {
      writes: [...writes, ...(dryRun ? [] : [startUndo(tenant, restore, undo.id)])],
      audit: [
        {
          ...auditNote(tenant, {
            type: 'restore',
            id,
            details: { restoreJobId: undo.id, targetProjectId, safetyBackupId, dryRun },
          }),
          ...(dryRun && { action: 'restore.planned' }),
        },
      ],
    },
  };
};

/** Returns the id of the safety backup; throws CONFLICT if the restore cannot be undone. */
const assertUndoable = (restore: RestoreRecord, now: Date): string => {
  const { status, dryRun, undoneBy, safetyBackup, safetyBackupId, undoUntil, sealedAt } = restore;
  const refuse = (message: string): never => {
    throw new ApiError('CONFLICT', message, { status, ...(undoneBy !== null && { undoneBy }), undoUntil });
  };
  if (dryRun) return refuse('The restore was a dry run and wrote nothing: there is nothing to undo');
  if (status === 'pending' || status === 'running')
    return refuse(`The restore is ${status}; cancel it first, then it can be undone`);
  if (undoneBy !== null) return refuse(`The restore was already undone; to reapply it, undo ${undoneBy}`);
  if (sealedAt === undefined)
    return refuse(
      `The restore ${status === 'failed' ? 'failed' : `was ${status}`} before it wrote anything: there is nothing to undo`,
    );
  if (!safetyBackup)
    return refuse('The restore was made without a safety backup and cannot be undone; restore an earlier backup instead');
  if (safetyBackupId === undefined) return refuse('The restore found nothing to write: there is nothing to undo');
  if (undoUntil === null || undoUntil <= iso(now))
    return refuse(
      undoUntil === null
        ? 'The restore can no longer be undone: its safety backup was deleted. Restore a backup instead'
        : `The restore could be undone until ${undoUntil}; restore a backup instead`,
    );
  return safetyBackupId;
};

const readSafetyBackup = async (tenant: Tenant, safetyBackupId: string): Promise<BackupRecord> => {
  const backup = await get(backupKey.backup(tenant, safetyBackupId));
  if (backup?.status !== 'completed')
    throw new ApiError('BACKUP_NOT_FOUND', 'The safety backup of this restore was deleted; restore another backup instead');
  assertNotLeaving(backup);
  return backup;
};

/** Whether it wrote every document in its journal. Otherwise some may have been changed by others and must not be undone. */
const isComplete = ({ status, raced, failed, users, racedUsers = users?.skipped }: RestoreRecord): boolean =>
  status === 'completed' && raced + failed + (users?.failed ?? 0) + (racedUsers ?? 0) === 0;

/** The backup of an incomplete restore tells the documents it wrote from those changed by others. */
const undoSource = async (
  tenant: Tenant,
  { id, status, backupId, mergeMode, transform }: RestoreRecord,
): Promise<RestoreRecord['leftBy']> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  if (backup?.status !== 'completed')
    throw new ApiError(
      'CONFLICT',
      'The restore is incomplete and its backup was deleted, so the documents it wrote cannot be told from others: it cannot be undone; restore its safety backup, or documents of it, instead',
      { status, backupId },
    );
  assertNotLeaving(backup);
  if (transform && !(await get(maskSaltKey(tenant, id))))
    throw new ApiError(
      'CONFLICT',
      'The masked copy is incomplete and its key was destroyed, so the documents it wrote cannot be told from others: it cannot be undone; restore its safety backup, or documents of it, instead',
      { status, backupId },
    );
  return { backupId, mergeMode, ...(transform && { transform }) };
};

/**
 * Of two concurrent undos the target's lock admits one; this condition rejects a second one later. Once an undo has started, the
 * state of the restore's documents is unknown, so it cannot be resumed.
 */
const startUndo = (tenant: Tenant, { id, status, attempt }: RestoreRecord, undoBegunBy: string): Write =>
  update(restoreKey.restore(tenant, id), {
    set: { undoBegunBy },
    expected: { status, attempt, undoneBy: null },
    onConditionFailed: () => new StaleReadError(),
  });
