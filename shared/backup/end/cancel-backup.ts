import { auditNote, describeActor } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { backupEvents } from '../../contract/event-data/backup-events.ts';
import { emit } from '../../event/index.ts';
import type { CallerContext } from '../../organization/index.ts';
import { type Change, iso, StaleReadError, set } from '../../platform/index.ts';
import { jobRelease, readProject } from '../../project/index.ts';
import { type BackupRecord, backupEvent, backupKey } from '../../stored-backup/index.ts';
import { backupReads } from '../model/backup-reads.ts';

/** The backup ends at once; its workflow notices at its next commit, and deletes what was stored. */
export const cancelBackup = async (
  { tenant, organization, actor }: CallerContext,
  backup: BackupRecord,
  now: Date,
): Promise<{ backup: BackupRecord; change: Change }> => {
  const { id, status, projectId } = backup;
  if (status !== 'pending' && status !== 'running')
    throw new ApiError('CONFLICT', `Only a pending or running backup can be cancelled. This one is ${status}`, {
      status,
    });
  const error = { code: 'CANCELLED', message: `The backup was cancelled by ${describeActor(actor)}` } as const;
  const ended = { status: 'cancelled', phase: 'finished', error, completedAt: iso(now) } as const;
  const cancelled: BackupRecord = { ...backup, ...ended };
  // A project does not move while it has a job.
  const event = backupEvent(cancelled, await readProject(tenant, projectId), organization);
  return {
    backup: cancelled,
    change: {
      writes: [
        set(backupKey.backup(tenant, id), ended, { expected: { status }, onConditionFailed: () => new StaleReadError() }),
        { ...jobRelease(tenant, projectId, id), onConditionFailed: () => new StaleReadError() },
        ...backupReads(tenant, backup, now),
        emit(tenant, {
          schemas: backupEvents,
          name: 'backup.failed',
          data: { ...event, backup: { ...event.backup, error } },
          now,
        }),
      ],
      audit: [auditNote(tenant, { type: 'backup', id, details: { projectId, status } })],
    },
  };
};
