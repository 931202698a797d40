/** How a restore ends that cannot go on: it says why, frees its target when nobody writes, and keeps what takes back what was written. */
import { ApiError } from '../../contract/errors.ts';
import { failureWrites } from '../../destination/index.ts';
import type { Reason } from '../../job/index.ts';
import { commit, emitMetric, isConflict, set, type Tenant, type Write } from '../../platform/index.ts';
import { unauthorizedWrite } from '../../project/index.ts';
import { type WriterWait, waitForWriters } from '../model/active-writers.ts';
import { type RestoreRecord, restoreKey } from '../model/record.ts';
import { endFields, endRestoreWrites, loadEndContext, type RestoreEndContext } from '../model/release-holds.ts';
import { restoreAudit } from '../model/restore-audit.ts';
import { emitRestoreEvent } from '../model/restore-events.ts';
import { internalError } from '../model/restore-steps.ts';
import { restoreEvent } from '../model/restore-view.ts';

/** What a workflow says of the error that ended it. */
export interface WorkflowError {
  readonly Error?: string | undefined;
}

/** Why it ends: what a step told, else what the last try stumbled over. */
export const failureReason = ({ failure, trouble }: RestoreRecord, error?: WorkflowError | undefined): Reason =>
  failure ?? trouble ?? (error?.Error === 'States.Timeout' ? late : internalError);

const late: Reason = { code: 'INTERNAL_ERROR', message: 'The service could not restore the backup in time' };

const triesMax = 6;

/**
 * Fails a restore that is pending or running, once; one that has ended in whatever way stays as it is. Whoever knows which
 * attempt has come to its end says so: one that was resumed meanwhile goes on. If it may have been writing, the reason stands on
 * the record first: from then on no run begins to write, those that do stop, and the target is freed with the end. Those that
 * are still at it after a while keep it locked, until `cleanUpRestore` finds that they have ended.
 */
export const failRestore = async (
  tenant: Tenant,
  restoreJobId: string,
  reasonGiven: (restore: RestoreRecord) => Reason,
  now: Date,
  attempt?: number,
  sleep?: WriterWait['sleep'],
): Promise<void> => {
  for (let tries = 1; ; tries++) {
    const around = await loadEndContext(tenant, restoreJobId);
    if (around?.restore.status !== 'pending' && around?.restore.status !== 'running') return;
    if (attempt !== undefined && around.restore.attempt !== attempt) return;
    const { sealedAt, failure } = around.restore;
    const reason = reasonGiven(around.restore);
    try {
      if (sealedAt !== undefined && !failure) await commit([announced(tenant, around.restore, reason)]);
      else {
        const isStopped = sealedAt === undefined || (await waitForWriters(tenant, restoreJobId, { now: () => now, sleep }));
        await commit(writesOf(tenant, around, reason, isStopped, now));
        return emitMetric('a restore has failed', { RestoresFailed: 1 });
      }
    } catch (error) {
      // The project or the destination went at the same moment, or others write the same items.
      const isOvertaken = isConflict(error) || (error instanceof ApiError && error.code.endsWith('_NOT_FOUND'));
      if (!isOvertaken || tries === triesMax) throw error;
    }
  }
};

const announced = (tenant: Tenant, { id, status, attempt }: RestoreRecord, failure: Reason): Write =>
  set(restoreKey.restore(tenant, id), { failure }, { expected: { status, attempt, failure: undefined } });

const writesOf = (tenant: Tenant, around: RestoreEndContext, error: Reason, isStopped: boolean, now: Date): readonly Write[] => {
  const { restore, project, target, destination, organization } = around;
  const { id, status, attempt, phase, safetyBackupId, sealedAt } = restore;
  const ended = { status: 'failed', error, ...endFields(around, now) } as const;
  const told = organization && restoreEvent({ ...restore, ...ended }, { project, target }, organization);
  return [
    // Sealed at the same moment it has a safety backup, which is then to be kept, and may be writing.
    set(
      restoreKey.restore(tenant, id),
      { ...ended, failure: undefined, trouble: undefined },
      { expected: { status, attempt, safetyBackupId, sealedAt } },
    ),
    ...endRestoreWrites(tenant, around, 'failed', now, isStopped),
    ...(target && error.code === 'SOURCE_AUTH_ERROR' ? [unauthorizedWrite(tenant, target, now)] : []),
    ...(destination && organization && error.code === 'STORAGE_UPLOAD_ERROR'
      ? failureWrites({ tenant, organization }, destination, error.message, now)
      : []),
    ...(told ? emitRestoreEvent(tenant, restore, 'restore.failed', { ...told, restore: { ...told.restore, error } }, now) : []),
    restoreAudit(tenant, 'restore.failed', restore, { code: error.code, message: error.message, phase }, now),
  ];
};
