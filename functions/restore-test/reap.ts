/** Every few minutes: continues restore tests whose workflow no longer runs. */
import { jobWorkflow, reapRunningJobs } from '../../shared/job/index.ts';
import { clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { testJobs } from '../../shared/restore-test/index.ts';

const jobs = testJobs(clock, jobWorkflow('RESTORE_TEST_WORKFLOW_ARN'));

export const handler = lambdaHandler(() => reapRunningJobs(jobs, ({ organizationId }) => unsafeTenant(organizationId, 'record')));
