/** Continues the run of a restore test; its output is the input of the next step. */
import { roundSeconds } from '../../shared/contract/runtime/step-rounds.ts';
import { pauseAfter } from '../../shared/contract/runtime/wait-pauses.ts';
import { after, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { advanceRun, RunStep, runDeps } from '../../shared/restore-test/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<RunStep> => {
  const { organizationId, runId, attempt, error, waitedSeconds = 0 } = RunStep.parse(input);
  const deadline = after(clock.now(), roundSeconds.restoreTestRun);
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
