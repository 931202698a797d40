/** Every few minutes: checks all running backups, and ends those that are stuck. */
import { backupDeps, reapBackup, runningBackups } from '../../shared/backup/index.ts';
import { openStore, requestRetryPolicy } from '../../shared/destination/index.ts';
import { type JobWorkflow, reapJobs } from '../../shared/job/index.ts';
import { describeExecution, lambdaHandler, log, startWorkflow, stopWorkflow, unsafeTenant } from '../../shared/platform/index.ts';

const workflow: JobWorkflow = {
  describe: (name) => describeExecution('BACKUP_WORKFLOW_ARN', name),
  start: (name, input) => startWorkflow('BACKUP_WORKFLOW_ARN', name, input),
  stop: (name, cause) => stopWorkflow('BACKUP_WORKFLOW_ARN', name, cause),
};

/** A bucket that does not respond is given up quickly; the next run tries again. */
const reaperDeps: typeof backupDeps = {
  ...backupDeps,
  openStore: (tenant, destination, folder) => openStore(tenant, destination, folder, requestRetryPolicy),
};

export const handler = lambdaHandler(async (): Promise<void> => {
  const { looked, late, failed } = await reapJobs(runningBackups(), (item) =>
    reapBackup(unsafeTenant(item.organizationId, 'record'), item, reaperDeps, workflow),
  );
  log.info('checked the running backups', { looked, late, failed });
  // The next run tries again; the error raises the alarm.
  if (failed > 0) throw new Error(`${failed} of ${looked} running backups could not be checked`);
});
