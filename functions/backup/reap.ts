/** Every few minutes: checks all running backups, and ends those that are stuck. */
import { backupDeps, backupJobs } from '../../shared/backup/index.ts';
import { openStore, requestRetryPolicy } from '../../shared/destination/index.ts';
import { jobWorkflow, reapRunningJobs } from '../../shared/job/index.ts';
import { lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';

/** A bucket that does not respond is given up quickly; the next run tries again. */
const reaperDeps: typeof backupDeps = {
  ...backupDeps,
  openStore: (tenant, destination, folder) => openStore(tenant, destination, folder, requestRetryPolicy),
};

const jobs = backupJobs(reaperDeps, jobWorkflow('BACKUP_WORKFLOW_ARN'));

export const handler = lambdaHandler(() => reapRunningJobs(jobs, ({ organizationId }) => unsafeTenant(organizationId, 'record')));
