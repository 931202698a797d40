/** Every few minutes: fails or cleans up the restores whose workflow no longer runs. */
import { jobWorkflow, reapRunningJobs } from '../../shared/job/index.ts';
import { lambdaHandler } from '../../shared/platform/index.ts';
import { cleanUpDeps, restoreJobs } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(() => reapRunningJobs(restoreJobs(cleanUpDeps, jobWorkflow('RESTORE_WORKFLOW_ARN'))));
