/** How a backup ends that was not completed: it says why, frees its project, and takes back what it stored. */

import type * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import type { JobError } from '../../contract/models/backup.ts';
import { type DestinationRecord, failureWrites } from '../../destination/index.ts';
import { emit, enqueue } from '../../event/index.ts';
import { reasonOf } from '../../job/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { commit, emitMetric, get, getAll, isConflict, iso, set, type Tenant, type Write } from '../../platform/index.ts';
import { type JobRecord, jobRelease, type ProjectRecord, projectKey, unauthorizedWrite } from '../../project/index.ts';
import { backupAudit } from '../model/backup-audit.ts';
import { backupEvent } from '../model/backup-view.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { timeoutFailure } from '../model/running-backup.ts';
import { internalFailure } from '../steps/backup-steps.ts';

export type Reason = z.output<typeof JobError>;

/** What a workflow says of the error that ended it. */
export interface WorkflowError {
  readonly Error?: string | undefined;
}

/** Why it ends: what a step told, else that its time was over, else what the last try stumbled over. */
export const reasonFor = (backup: BackupRecord, error: WorkflowError | undefined, now: Date): Reason => {
  const { failure, trouble, deadline } = backup;
  if (failure) return failure;
  if (deadline !== null && (Date.parse(deadline) <= now.getTime() || error?.Error === 'States.Timeout')) {
    const { code, message, details } = reasonOf(timeoutFailure(backup));
    return { code, message, details: { ...details, ...(trouble && { lastProblem: trouble.message }) } };
  }
  return trouble ?? internalFailure;
};

const triesMax = 5;

/** Fails a backup that is pending or running, once; one that has ended in whatever way stays as it is. */
export const failBackup = async (
  tenant: Tenant,
  backupId: string,
  reasonGiven: (backup: BackupRecord) => Reason,
  now: Date,
): Promise<void> => {
  for (let tries = 1; ; tries++) {
    const around = await loadEndContext(tenant, backupId);
    if (around?.backup.status !== 'pending' && around?.backup.status !== 'running') return;
    try {
      await commit(writesOf(tenant, around, reasonGiven(around.backup), now));
      return emitMetric('a backup has failed', { BackupsFailed: 1 });
    } catch (error) {
      // The project or the destination went at the same moment, or others write the same items.
      const isOvertaken = isConflict(error) || (error instanceof ApiError && error.code.endsWith('_NOT_FOUND'));
      if (!isOvertaken || tries === triesMax) throw error;
    }
  }
};

interface BackupEndContext {
  readonly backup: BackupRecord;
  readonly project: ProjectRecord | undefined;
  readonly job: JobRecord | undefined;
  readonly destination: DestinationRecord | undefined;
  readonly organization: OrganizationRecord | undefined;
}

const loadEndContext = async (tenant: Tenant, backupId: string): Promise<BackupEndContext | undefined> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  if (!backup) return undefined;
  const { projectId } = backup;
  const [project, job, destination, organization] = await getAll([
    projectKey.project(tenant, projectId),
    projectKey.job(tenant, projectId),
    organizationKey.storageDestination(tenant, backup.storageDestination.id),
    organizationKey.organization(tenant),
  ]);
  return { backup, project, job, destination: destination as DestinationRecord | undefined, organization };
};

const writesOf = (
  tenant: Tenant,
  { backup, project, job, destination, organization }: BackupEndContext,
  error: Reason,
  now: Date,
): readonly Write[] => {
  const { id, projectId, status, scheduleId, synthesizedFrom } = backup;
  const ended = { status: 'failed', phase: 'finished', error, completedAt: iso(now) } as const;
  const told = project && organization && backupEvent({ ...backup, ...ended }, project, organization);
  return [
    set(backupKey.backup(tenant, id), { ...ended, failure: undefined, trouble: undefined }, { expected: { status } }),
    // A lock that names another job is that job's.
    ...(job?.jobId === id ? [jobRelease(tenant, projectId, id)] : []),
    ...(project && error.code === 'SOURCE_AUTH_ERROR' ? [unauthorizedWrite(tenant, project, now)] : []),
    ...(destination && organization && error.code === 'STORAGE_UPLOAD_ERROR'
      ? failureWrites({ tenant, organization }, destination, error.message, now)
      : []),
    ...(told ? [emit(tenant, 'backup.failed', { ...told, backup: { ...told.backup, error } }, now)] : []),
    // What is made of another backup is no run of its schedule.
    ...(scheduleId === null || synthesizedFrom !== undefined
      ? []
      : [enqueue(tenant, { kind: 'schedule-outcome', scheduleId, backupId: id }, now)]),
    backupAudit(tenant, 'backup.failed', backup, { code: error.code, message: error.message }, now),
  ];
};
