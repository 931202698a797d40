/** Every few minutes: looks after all backups under way, and ends those that nothing moves any more. */
import { backupDeps, type RunningRecord, reapBackup, runningBackups, type Workflow } from '../../shared/backup/index.ts';
import { openStore, requestRetryPolicy } from '../../shared/destination/index.ts';
import { reapJobs } from '../../shared/job/index.ts';
import { describeExecution, lambdaHandler, log, startWorkflow, stopWorkflow, unsafeTenant } from '../../shared/platform/index.ts';

const workflow: Workflow = {
  look: (backupId) => describeExecution('BACKUP_WORKFLOW_ARN', backupId),
  start: (organizationId, backupId) => startWorkflow('BACKUP_WORKFLOW_ARN', backupId, { organizationId, backupId }),
  stop: (backupId, cause) => stopWorkflow('BACKUP_WORKFLOW_ARN', backupId, cause),
};

/** A bucket that does not answer is asked again by the next run. */
const patient: typeof backupDeps = {
  ...backupDeps,
  openStore: (tenant, destination, folder) => openStore(tenant, destination, folder, requestRetryPolicy),
};

export const handler = lambdaHandler(async (): Promise<void> => {
  const { looked, late, failed } = await reapJobs(runningBackups(), reap);
  log.info('looked after the backups under way', { looked, late, failed });
  // The next run tries again; failing says so where it is watched.
  if (failed > 0) throw new Error(`${failed} of ${looked} backups could not be looked after`);
});

const reap = (note: RunningRecord): Promise<void> =>
  reapBackup(unsafeTenant(note.organizationId, 'record'), note, patient, workflow);
