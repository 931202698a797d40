/** Stopping a backup. It is over at once for whoever asks; the workflow notices at its next commit, and removes what was stored. */
import { ApiError } from '../../contract/errors.ts';
import { emit } from '../../event/index.ts';
import type { CallerContext } from '../../organization/index.ts';
import { type Change, iso, StaleReadError, set } from '../../platform/index.ts';
import { jobRelease, readProject } from '../../project/index.ts';
import { backupEvent } from '../model/backup-view.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';

export const cancelBackup = async (
  { tenant, organization, actor }: CallerContext,
  backup: BackupRecord,
  now: Date,
): Promise<{ backup: BackupRecord; change: Change }> => {
  const { id, status, projectId } = backup;
  if (status !== 'pending' && status !== 'running')
    throw new ApiError('CONFLICT', `Only a backup that is pending or running can be cancelled; this one is ${status}`, {
      status,
    });
  const by = actor.type === 'user' ? 'a person' : 'the service account';
  const error = { code: 'CANCELLED', message: `The backup was cancelled by ${by}` } as const;
  const ended = { status: 'cancelled', phase: 'finished', error, completedAt: iso(now) } as const;
  const cancelled: BackupRecord = { ...backup, ...ended };
  // While it has a job, a project stays where it is.
  const told = backupEvent(cancelled, await readProject(tenant, projectId), organization);
  return {
    backup: cancelled,
    change: {
      writes: [
        set(backupKey.backup(tenant, id), ended, { expected: { status }, onConditionFailed: () => new StaleReadError() }),
        { ...jobRelease(tenant, projectId, id), onConditionFailed: () => new StaleReadError() },
        emit(tenant, 'backup.failed', { ...told, backup: { ...told.backup, error } }, now),
      ],
      audit: [{ scope: tenant.organizationId, resource: { type: 'backup', id }, details: { projectId, status } }],
    },
  };
};
