/** Ends a backup that cannot complete: records why, and releases its project. */
import { ApiError } from '../../contract/errors.ts';
import { backupEvents } from '../../contract/event-data/backup-events.ts';
import { destinationKey, failureWrites } from '../../destination/index.ts';
import { emit, enqueue } from '../../event/index.ts';
import { type Reason, reasonOf } from '../../job/index.ts';
import { organizationKey } from '../../organization/index.ts';
import {
  commit,
  emitMetric,
  get,
  getAll,
  isConflict,
  iso,
  retryOnConflict,
  set,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import { jobRelease, projectKey, unauthorizedWrite } from '../../project/index.ts';
import { type BackupRecord, backupAudit, backupEvent, backupKey } from '../../stored-backup/index.ts';
import { backupReads } from '../model/backup-reads.ts';
import { timeoutFailure } from '../model/running-backup.ts';
import { internalFailure } from '../steps/backup-steps.ts';

/** The error that ended a workflow, as Step Functions reports it. */
interface WorkflowError {
  readonly Error?: string | undefined;
}

/** Why the backup fails: the failure of a step, else its timeout, else the last retried error. */
export const reasonFor = (backup: BackupRecord, error: WorkflowError | undefined, now: Date): Reason => {
  const { failure, trouble, deadline } = backup;
  if (failure) return failure;
  if (deadline !== null && (Date.parse(deadline) <= now.getTime() || error?.Error === 'States.Timeout')) {
    const { code, message, details } = reasonOf(timeoutFailure(backup));
    return { code, message, details: { ...details, ...(trouble && { lastProblem: trouble.message }) } };
  }
  return trouble ?? internalFailure;
};

/** A concurrent write, or a project or destination that was deleted meanwhile. */
const isRetryable = (error: unknown): boolean =>
  isConflict(error) || (error instanceof ApiError && error.code.endsWith('_NOT_FOUND'));

/** Fails a pending or running backup. Idempotent: a backup that has ended stays as it is. */
export const failBackup = (
  tenant: Tenant,
  { backupId, reason, now }: { readonly backupId: string; readonly reason: (backup: BackupRecord) => Reason; readonly now: Date },
): Promise<void> =>
  retryOnConflict({ attempts: 5, isRetryable }, async () => {
    const context = await loadEndContext(tenant, backupId);
    if (context?.backup.status !== 'pending' && context?.backup.status !== 'running') return;
    await commit(failureTransaction(tenant, { context, error: reason(context.backup), now }));
    emitMetric('a backup has failed', { BackupsFailed: 1 });
  });

type BackupEndContext = NonNullable<Awaited<ReturnType<typeof loadEndContext>>>;

const loadEndContext = async (tenant: Tenant, backupId: string) => {
  const backup = await get(backupKey.backup(tenant, backupId));
  if (!backup) return undefined;
  const { projectId } = backup;
  const [project, job, destination, organization] = await getAll([
    projectKey.project(tenant, projectId),
    projectKey.job(tenant, projectId),
    destinationKey(tenant, backup.storageDestination.id),
    organizationKey.organization(tenant),
  ]);
  return { backup, project, job, destination, organization };
};

const failureTransaction = (
  tenant: Tenant,
  {
    context: { backup, project, job, destination, organization },
    error,
    now,
  }: { readonly context: BackupEndContext; readonly error: Reason; readonly now: Date },
): readonly Write[] => {
  const { id, projectId, status, scheduleId, synthesizedFrom } = backup;
  const ended = { status: 'failed', phase: 'finished', error, completedAt: iso(now) } as const;
  const event = project && organization && backupEvent({ ...backup, ...ended }, project, organization);
  return [
    set(
      backupKey.backup(tenant, id),
      { ...ended, failure: undefined, trouble: undefined, waitingFor: undefined },
      { expected: { status } },
    ),
    // The lock may belong to another job by now.
    ...(job?.jobId === id ? [jobRelease(tenant, projectId, id)] : []),
    ...(project && error.code === 'SOURCE_AUTH_ERROR' ? [unauthorizedWrite(tenant, project, now)] : []),
    ...(destination && organization && error.code === 'STORAGE_UPLOAD_ERROR'
      ? failureWrites({ tenant, organization }, { record: destination, error, now })
      : []),
    ...(event
      ? [
          emit(tenant, {
            schemas: backupEvents,
            name: 'backup.failed',
            data: { ...event, backup: { ...event.backup, error } },
            now,
          }),
        ]
      : []),
    // A synthetic full is no run of its schedule.
    ...(scheduleId === null || synthesizedFrom !== undefined
      ? []
      : [enqueue(tenant, { kind: 'schedule-outcome', scheduleId, backupId: id }, now)]),
    ...backupReads(tenant, backup, now),
    backupAudit(tenant, { action: 'backup.failed', backup, details: { code: error.code, message: error.message }, now }),
  ];
};
