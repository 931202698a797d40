/** Every few minutes: fails or cleans up the restores whose workflow no longer runs. */
import { reapJobs } from '../../shared/job/index.ts';
import { describeExecution, lambdaHandler, log, startWorkflow, stopWorkflow, unsafeTenant } from '../../shared/platform/index.ts';
import { cleanUpDeps, listRunningRestores, type RestoreWorkflow, reapRestore } from '../../shared/restore/index.ts';

const workflow: RestoreWorkflow = {
  describe: (name) => describeExecution('RESTORE_WORKFLOW_ARN', name),
  start: (name, input) => startWorkflow('RESTORE_WORKFLOW_ARN', name, input),
  stop: (name, cause) => stopWorkflow('RESTORE_WORKFLOW_ARN', name, cause),
};

export const handler = lambdaHandler(async (): Promise<void> => {
  const { looked, late, failed } = await reapJobs(listRunningRestores(), (item) =>
    reapRestore(unsafeTenant(item.organizationId, 'record'), item, cleanUpDeps, workflow),
  );
  log.info('restores reaped', { looked, late, failed });
  // The next run retries; the error raises the alarm of the function.
  if (failed > 0) throw new Error(`${failed} of ${looked} restores could not be reaped`);
});
