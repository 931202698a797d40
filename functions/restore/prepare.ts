/** Begins a restore, and returns the numbers of its shards. */
import { lambdaHandler } from '../../shared/platform/index.ts';
import { answerStep, attemptOf, prepareRestore, RestoreStep, restoreDeps } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ shards: readonly number[]; failed: boolean }> => {
  const step = attemptOf(RestoreStep.parse(input));
  const plan = await answerStep(step, () => prepareRestore(step, restoreDeps));
  return { shards: plan?.shards ?? [], failed: plan === undefined };
});
