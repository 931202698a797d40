/**
 * Stopping a restore. It is over at once for whoever asks; the workflow notices at its next commit. Until it has stopped writing
 * the target stays locked, so that nobody else writes beside it.
 */
import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import type { CallerContext } from '../../organization/index.ts';
import { type Change, StaleReadError, set } from '../../platform/index.ts';
import { restoreNotFound } from '../model/get-restore.ts';
import { type RestoreRecord, restoreKey } from '../model/record.ts';
import { endFields, endRestoreWrites, loadEndContext } from '../model/release-holds.ts';
import { emitRestoreEvent } from '../model/restore-events.ts';
import { restoreEvent } from '../model/restore-view.ts';

export const cancelRestore = async (
  { tenant, organization, actor }: CallerContext,
  restoreJobId: string,
  now: Date,
): Promise<{ restore: RestoreRecord; change: Change }> => {
  const around = isId('restore', restoreJobId) ? await loadEndContext(tenant, restoreJobId) : undefined;
  if (!around) throw restoreNotFound();
  const { restore, project, target } = around;
  const { id, status, attempt, safetyBackupId, targetProjectId, written, deleted } = restore;
  refuseUnlessUnderWay(restore);
  const by = actor.type === 'user' ? 'a person' : 'the service account';
  const error = { code: 'CANCELLED', message: `The restore was cancelled by ${by}` } as const;
  const ended = { status: 'cancelled', error, ...endFields(around, now) } as const;
  const cancelled: RestoreRecord = { ...restore, ...ended };
  const told = restoreEvent(cancelled, { project, target }, organization);
  // Sealed at the same moment it has a safety backup, which is then to be kept.
  const expected = { status, attempt, safetyBackupId };
  return {
    restore: cancelled,
    change: {
      writes: [
        set(restoreKey.restore(tenant, id), ended, { expected, onConditionFailed: () => new StaleReadError() }),
        ...endRestoreWrites(tenant, around, 'cancelled', now),
        ...emitRestoreEvent(tenant, restore, 'restore.failed', { ...told, restore: { ...told.restore, error } }, now),
      ],
      audit: [
        {
          scope: tenant.organizationId,
          resource: { type: 'restore', id },
          details: { targetProjectId, status, written, deleted },
        },
      ],
    },
  };
};

const refuseUnlessUnderWay = ({ status, safetyBackupId, dryRun }: RestoreRecord): void => {
  if (status === 'pending' || status === 'running') return;
  const instead = dryRun || safetyBackupId === undefined ? '' : '; what it wrote can be taken back with /undo';
  throw new ApiError('CONFLICT', `Only a restore that is pending or running can be cancelled; this one is ${status}${instead}`, {
    status,
  });
};
