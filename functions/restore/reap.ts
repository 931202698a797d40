/** Every few minutes: looks after all restores under way, and ends those that nothing moves any more. */
import { reapJobs } from '../../shared/job/index.ts';
import { describeExecution, lambdaHandler, log, startWorkflow, stopWorkflow, unsafeTenant } from '../../shared/platform/index.ts';
import {
  cleanUpDeps,
  type RestoreWorkflow,
  type RunningRestore,
  reapRestore,
  listRunningRestores,
} from '../../shared/restore/index.ts';

const workflow: RestoreWorkflow = {
  describe: (name) => describeExecution('RESTORE_WORKFLOW_ARN', name),
  start: (name, input) => startWorkflow('RESTORE_WORKFLOW_ARN', name, input),
  stop: (name, cause) => stopWorkflow('RESTORE_WORKFLOW_ARN', name, cause),
};

export const handler = lambdaHandler(async (): Promise<void> => {
  const { looked, late, failed } = await reapJobs(listRunningRestores(), reap);
  log.info('looked after the restores under way', { looked, late, failed });
  // The next run tries again; failing says so where it is watched.
  if (failed > 0) throw new Error(`${failed} of ${looked} restores could not be looked after`);
});

const reap = (note: RunningRestore): Promise<void> =>
  reapRestore(unsafeTenant(note.organizationId, 'record'), note, cleanUpDeps, workflow);
