/**
 * Cancels a restore. One that has written nothing ends at once. One that may be writing is `cancelling` until its writers have
 * stopped: `failRestore` then ends it, with what they wrote.
 */
import { auditNote, describeActor } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import type { CallerContext } from '../../organization/index.ts';
import { type Change, StaleReadError, set } from '../../platform/index.ts';
import { emitRestoreEvent } from '../model/emit-restore-event.ts';
import { restoreNotFound } from '../model/get-restore.ts';
import { type RestoreRecord, restoreKey } from '../model/record.ts';
import { endFields, endRestoreWrites, loadEndContext } from '../model/restore-end-context.ts';

export const cancelRestore = async (
  { tenant, organization, actor }: CallerContext,
  restoreJobId: string,
  now: Date,
): Promise<{ restore: RestoreRecord; change: Change }> => {
  const context = isId('restore', restoreJobId) ? await loadEndContext(tenant, restoreJobId) : undefined;
  if (!context) throw restoreNotFound();
  const { restore } = context;
  const { id, status, attempt, safetyBackupId, sealedAt, targetProjectId, written, deleted } = restore;
  assertCancellable(restore);
  const error = { code: 'CANCELLED', message: `The restore was cancelled by ${describeActor(actor)}` } as const;
  const audit = [auditNote(tenant, { type: 'restore', id, details: { targetProjectId, status, written, deleted } })];
  if (isWriting(restore)) {
    if (restore.cancelling) return { restore, change: { writes: [], audit: [] } };
    const stopping = { cancelling: true, failure: error } as const;
    const expected = { status, attempt, sealedAt };
    const write = set(restoreKey.restore(tenant, id), stopping, { expected, onConditionFailed: () => new StaleReadError() });
    return { restore: { ...restore, ...stopping }, change: { writes: [write], audit } };
  }
  const ended = { status: 'cancelled', error, ...endFields(context, now) } as const;
  const cancelled: RestoreRecord = { ...restore, ...ended };
  // The condition fails if the journal is sealed meanwhile: then there is a safety backup to keep, and writers start.
  const expected = { status, attempt, safetyBackupId, sealedAt };
  return {
    restore: cancelled,
    change: {
      writes: [
        set(restoreKey.restore(tenant, id), ended, { expected, onConditionFailed: () => new StaleReadError() }),
        ...endRestoreWrites(tenant, context, { status: 'cancelled', now }),
        ...emitRestoreEvent({ ...context, tenant, organization }, cancelled, { name: 'restore.failed', now }),
      ],
      audit,
    },
  };
};

/** From the seal on writers may be active. The workflow of a resumed restore that has not begun writes nothing yet. */
const isWriting = ({ status, sealedAt, dryRun }: RestoreRecord): boolean =>
  status === 'running' && sealedAt !== undefined && !dryRun;

const assertCancellable = ({ status, safetyBackupId, dryRun }: RestoreRecord): void => {
  if (status === 'pending' || status === 'running') return;
  const hint = dryRun || safetyBackupId === undefined ? '' : '; what it wrote can be undone with /undo';
  throw new ApiError('CONFLICT', `Only a restore that is pending or running can be cancelled; this one is ${status}${hint}`, {
    status,
  });
};
