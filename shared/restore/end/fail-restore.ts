/** Ends a restore that cannot continue: records why, releases the target once no writer is active, and keeps the safety backup. */
import { ApiError } from '../../contract/errors.ts';
import { failureWrites } from '../../destination/index.ts';
import type { Reason } from '../../job/index.ts';
import { commit, emitMetric, isConflict, retryOnConflict, set, type Tenant, type Write } from '../../platform/index.ts';
import { unauthorizedWrite } from '../../project/index.ts';
import { emitRestoreEvent } from '../model/emit-restore-event.ts';
import { type RestoreRecord, restoreKey } from '../model/record.ts';
import { restoreAudit } from '../model/restore-audit.ts';
import { endFields, endRestoreWrites, loadEndContext, type RestoreEndContext } from '../model/restore-end-context.ts';
import type { RestoreAttempt } from '../model/running-restore.ts';
import { type WriterWait, waitForWriters } from '../model/writer-lease.ts';
import { internalError } from '../run/restore-steps.ts';

/** The error of a workflow, as Step Functions reports it. */
export interface WorkflowError {
  readonly Error?: string | undefined;
}

/** The reported failure; otherwise the last transient error. */
export const failureReason = ({ failure, trouble }: RestoreRecord, error?: WorkflowError | undefined): Reason =>
  failure ?? trouble ?? (error?.Error === 'States.Timeout' ? timedOut : internalError);

const timedOut: Reason = { code: 'INTERNAL_ERROR', message: 'The service could not restore the backup in time' };

const attemptsMax = 6;

const isActive = ({ status }: RestoreRecord): boolean => status === 'pending' || status === 'running';

interface FailRestoreOptions extends RestoreAttempt {
  readonly reasonOf: (restore: RestoreRecord) => Reason;
  readonly now: Date;
  readonly sleep?: WriterWait['sleep'];
}

/**
 * Fails a pending or running restore, or ends a cancelled one. Idempotent; a no-op if another attempt has started. If the restore may be writing:
 * 1. The reason is committed first. From then on no writer starts, and active writers stop.
 * 2. The restore ends. If no writer is active, its target is released in the same transaction.
 * 3. Otherwise the target stays locked until `cleanUpRestore` finds no active writer.
 */
export const failRestore = (options: FailRestoreOptions): Promise<void> =>
  retryOnConflict({ attempts: attemptsMax, isRetryable }, () => failOnce(options));

/** The project or the destination was deleted at the same time, or another process changed the same items. */
const isRetryable = (error: unknown): boolean =>
  isConflict(error) || (error instanceof ApiError && error.code.endsWith('_NOT_FOUND'));

const failOnce = async (options: FailRestoreOptions): Promise<void> => {
  const { tenant, restoreJobId, attempt, reasonOf, now, sleep } = options;
  const context = await loadEndContext(tenant, restoreJobId);
  if (context?.restore.attempt !== attempt || !isActive(context.restore)) return;
  const { restore } = context;
  if (restore.sealedAt !== undefined && !restore.failure) {
    await commit([announceFailure(tenant, restore, reasonOf(restore))]);
    return failOnce(options);
  }
  const isStopped = restore.sealedAt === undefined || (await waitForWriters(tenant, restoreJobId, { now: () => now, sleep }));
  // Writers count what they wrote before they stop. Meanwhile it may have been ended, resumed or cancelled.
  const stopped = restore.sealedAt === undefined ? context : await loadEndContext(tenant, restoreJobId);
  if (stopped?.restore.attempt !== attempt || !isActive(stopped.restore)) return;
  const { cancelling } = stopped.restore;
  if (cancelling && !isStopped) throw new WritersActiveError();
  await commit(failureTransaction(tenant, stopped, { error: reasonOf(stopped.restore), isStopped, now }));
  if (!cancelling) emitMetric('a restore has failed', { RestoresFailed: 1 });
};

/** A cancelled restore ends when nothing writes any more; the workflow, then the reaper, tries again. */
class WritersActiveError extends Error {
  constructor() {
    super('the writers of the cancelled restore have not stopped yet');
    this.name = 'WritersActive';
  }
}

const announceFailure = (tenant: Tenant, { id, status, attempt }: RestoreRecord, failure: Reason): Write =>
  set(restoreKey.restore(tenant, id), { failure }, { expected: { status, attempt, failure: undefined } });

const failureTransaction = (
  tenant: Tenant,
  context: RestoreEndContext,
  { error, isStopped, now }: { readonly error: Reason; readonly isStopped: boolean; readonly now: Date },
): readonly Write[] => {
  const { restore, target, destination, organization } = context;
  const { id, status, attempt, phase, safetyBackupId, sealedAt, cancelling } = restore;
  const outcome = cancelling ? 'cancelled' : 'failed';
  const ended = { status: outcome, error, ...endFields(context, now) } as const;
  return [
    // The condition fails if the journal is sealed meanwhile: then there is a safety backup to keep, and writers may be active. It
    // also fails if the restore is cancelled meanwhile: then it ends as cancelled.
    set(
      restoreKey.restore(tenant, id),
      { ...ended, failure: undefined, trouble: undefined, cancelling: undefined },
      { expected: { status, attempt, safetyBackupId, sealedAt, cancelling } },
    ),
    ...endRestoreWrites(tenant, context, { status: outcome, now, isStopped }),
    ...(target && error.code === 'SOURCE_AUTH_ERROR' ? [unauthorizedWrite(tenant, target, now)] : []),
    ...(destination && organization && error.code === 'STORAGE_UPLOAD_ERROR'
      ? failureWrites({ tenant, organization }, { record: destination, error, now })
      : []),
    ...(organization
      ? emitRestoreEvent({ ...context, tenant, organization }, { ...restore, ...ended }, { name: 'restore.failed', now })
      : []),
    // The cancellation has an audit entry of its own.
    ...(cancelling
      ? []
      : [
          restoreAudit(tenant, {
            action: 'restore.failed',
            restore,
            details: { code: error.code, message: error.message, phase },
            now,
          }),
        ]),
  ];
};
