/** The step of the workflow of a restore test, and its reaper. They share one bundle. */
import { roundSeconds } from '../../shared/contract/runtime/step-rounds.ts';
import { pauseAfter } from '../../shared/contract/runtime/wait-pauses.ts';
import { jobWorkflow, reapRunningJobs, stepHandler } from '../../shared/job/index.ts';
import { after, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { advanceRun, RunStep, runDeps, testJobs } from '../../shared/restore-test/index.ts';

/** Continues the run of a restore test; its output is the input of the next step. */
export const run = stepHandler(RunStep, async (tenant, input): Promise<RunStep> => {
  const { organizationId, runId, attempt, error, waitedSeconds = 0 } = input;
  const deadline = after(clock.now(), roundSeconds.restoreTestRun);
  let progress = await advanceRun(tenant, { runStep: { runId, attempt, error }, deadline, deps: runDeps });
  // Short phases follow each other in one step.
  const hasMoved = progress === 'again';
  while (progress === 'again' && clock.now() < deadline)
    progress = await advanceRun(tenant, { runStep: { runId, attempt }, deadline, deps: runDeps });
  const step = { organizationId, runId, attempt, done: progress === 'done', waits: progress === 'wait' };
  if (progress !== 'wait') return step;
  const waited = hasMoved ? 0 : waitedSeconds;
  const pauseSeconds = pauseAfter(waited);
  return { ...step, pauseSeconds, waitedSeconds: waited + pauseSeconds };
});

/** Every few minutes: continues restore tests whose workflow no longer runs. */
export const reap = lambdaHandler(() =>
  reapRunningJobs(testJobs(clock, jobWorkflow('RESTORE_TEST_WORKFLOW_ARN')), ({ organizationId }) =>
    unsafeTenant(organizationId, 'record'),
  ),
);
