/** Taking a restore back: another restore, of exactly the documents that it touched, to what they were before. */
import { type BackupRecord, backupKey } from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { readDestination } from '../../destination/index.ts';
import { type Change, get, iso, StaleReadError, type Tenant, type Write } from '../../platform/index.ts';
import { assertNotLeaving, readProject } from '../../project/index.ts';
import { type RestoreRecord, restoreKey } from '../model/record.ts';
import { type StartRestoreContext, startRestore } from './start-restore.ts';

/** It saves what it touches, too: an undo can be undone. */
export const undoRestore = async (
  tenant: Tenant,
  restore: RestoreRecord,
  { encryption, createdBy }: Pick<StartRestoreContext, 'encryption'> & Pick<RestoreRecord, 'createdBy'>,
  now: Date,
): Promise<{ restore: RestoreRecord; change: Change }> => {
  const safetyBackupId = refuseUnlessUndoable(restore, now);
  const { id, targetProjectId, includeAuthUsers, maxWritesPerSecond } = restore;
  const backup = await readSafety(tenant, safetyBackupId);
  const leftBy = isClean(restore) ? undefined : await readLeft(tenant, restore);
  const target = await readProject(tenant, targetProjectId);
  const destination = await readDestination(tenant, backup.storageDestination.id);
  const { restore: undo, writes } = startRestore(
    { tenant, backup, project: target, target, destination, encryption },
    {
      mergeMode: 'rollback',
      dryRun: false,
      collections: ['*'],
      includeSubcollections: true,
      includeAuthUsers,
      safetyBackup: true,
      maxWritesPerSecond,
      undoOf: id,
      ...(leftBy && { leftBy }),
      createdBy,
    },
    now,
  );
  return {
    restore: undo,
    change: {
      writes: [...writes, undoBegins(tenant, restore, undo.id)],
      audit: [
        {
          scope: tenant.organizationId,
          resource: { type: 'restore', id },
          details: { restoreJobId: undo.id, targetProjectId, safetyBackupId },
        },
      ],
    },
  };
};

/** The id of its safety backup, or why there is nothing that could be put back. */
const refuseUnlessUndoable = (restore: RestoreRecord, now: Date): string => {
  const { status, dryRun, undoneBy, safetyBackup, safetyBackupId, undoUntil, sealedAt } = restore;
  const refuse = (message: string): never => {
    throw new ApiError('CONFLICT', message, { status, ...(undoneBy !== null && { undoneBy }), undoUntil });
  };
  if (dryRun) return refuse('The restore only planned, and wrote nothing: there is nothing to take back');
  if (status === 'pending' || status === 'running')
    return refuse(`The restore is ${status}; cancel it first, then it can be taken back`);
  if (undoneBy !== null) return refuse(`The restore was taken back already; to have it again, undo ${undoneBy}`);
  if (sealedAt === undefined)
    return refuse(
      `The restore ${status === 'failed' ? 'failed' : `was ${status}`} before it wrote anything: there is nothing to take back`,
    );
  if (!safetyBackup)
    return refuse('The restore was made without a safety backup and cannot be taken back; restore an earlier backup instead');
  if (safetyBackupId === undefined) return refuse('The restore found nothing to write: there is nothing to take back');
  if (undoUntil === null || undoUntil <= iso(now))
    return refuse(
      `The restore could be taken back until ${undoUntil ?? 'its safety backup was deleted'}; restore a backup instead`,
    );
  return safetyBackupId;
};

const readSafety = async (tenant: Tenant, safetyBackupId: string): Promise<BackupRecord> => {
  const backup = await get(backupKey.backup(tenant, safetyBackupId));
  if (backup?.status !== 'completed')
    throw new ApiError('BACKUP_NOT_FOUND', 'The safety backup of this restore is gone; restore another backup instead');
  assertNotLeaving(backup);
  return backup;
};

/** Whether it wrote everything that it saved. Otherwise some of that may be others' by now, and is not to be taken back. */
const isClean = ({ status, raced, failed, users, racedUsers = users?.skipped }: RestoreRecord): boolean =>
  status === 'completed' && raced + failed + (users?.failed ?? 0) + (racedUsers ?? 0) === 0;

/** What tells the documents that the restore has left from those of others. */
const readLeft = async (tenant: Tenant, { status, backupId, mergeMode }: RestoreRecord): Promise<RestoreRecord['leftBy']> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  if (backup?.status !== 'completed')
    throw new ApiError(
      'CONFLICT',
      'The restore did not write all it planned, and without its backup, which is gone, nobody can tell what it wrote: it cannot be taken back; restore its safety backup, or documents of it, instead',
      { status, backupId },
    );
  assertNotLeaving(backup);
  return { backupId, mergeMode };
};

/**
 * Of two undos at the same moment the target's lock lets one begin; of two in a row this does. However far the undo comes, from
 * now on nobody knows what of the restore is still there: it is not gone on with.
 */
const undoBegins = (tenant: Tenant, { id, status, attempt }: RestoreRecord, undoId: string): Write => ({
  update: restoreKey.restore(tenant, id),
  expression: 'SET undoBegunBy = :undo',
  condition: '#status = :status AND attempt = :attempt AND undoneBy = :nobody',
  names: { '#status': 'status' },
  values: { ':status': status, ':attempt': attempt, ':nobody': null, ':undo': undoId },
  onConditionFailed: () => new StaleReadError(),
});
