/** Every few minutes: fails or cleans up the restores whose workflow no longer runs. */
import { jobWorkflow, reapRunningJobs } from '../../shared/job/index.ts';
import { lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { cleanUpDeps, restoreJobs } from '../../shared/restore/index.ts';

const jobs = restoreJobs(cleanUpDeps, jobWorkflow('RESTORE_WORKFLOW_ARN'));

export const handler = lambdaHandler(() => reapRunningJobs(jobs, ({ organizationId }) => unsafeTenant(organizationId, 'record')));
