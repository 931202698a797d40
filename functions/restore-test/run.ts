/** Continues the run of a restore test; its output is the input of the next step. */
import { pauseAfter } from '../../shared/contract/runtime/wait-pauses.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { after, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { advanceRun, RunStep, runDeps } from '../../shared/restore-test/index.ts';

/** Half of its time: the object in progress has the other half. */
const workSeconds = workers.restoreTestRun.timeoutSeconds / 2;

export const handler = lambdaHandler(async (input: unknown): Promise<RunStep> => {
  const { organizationId, runId, attempt, error, waitedSeconds = 0 } = RunStep.parse(input);
  const deadline = after(clock.now(), workSeconds);
  const tenant = unsafeTenant(organizationId, 'record');
  let progress = await advanceRun(tenant, { runId, attempt, error }, deadline, runDeps);
  // Short phases follow each other in one step.
  const hasMoved = progress === 'again';
  while (progress === 'again' && clock.now() < deadline)
    progress = await advanceRun(tenant, { runId, attempt }, deadline, runDeps);
  const step = { organizationId, runId, attempt, done: progress === 'done', waits: progress === 'wait' };
  if (progress !== 'wait') return step;
  const waited = hasMoved ? 0 : waitedSeconds;
  const pauseSeconds = pauseAfter(waited);
  return { ...step, pauseSeconds, waitedSeconds: waited + pauseSeconds };
});
