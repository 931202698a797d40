/** Accounts for every document of the plan, and completes the restore. */
import { lambdaHandler } from '../../shared/platform/index.ts';
import { answerStep, attemptOf, cleanUpDeps, finishRestore, RestoreStep } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ failed: boolean }> => {
  const step = attemptOf(RestoreStep.parse(input));
  const done = await answerStep(step, async () => {
    await finishRestore(step, cleanUpDeps);
    return true;
  });
  return { failed: done === undefined };
});
