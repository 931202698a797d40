/** Seals the journal, and returns whether there is anything to write. */
import { lambdaHandler } from '../../shared/platform/index.ts';
import { answerStep, attemptOf, RestoreStep, restoreDeps, sealJournal } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ writes: boolean; failed: boolean }> => {
  const step = attemptOf(RestoreStep.parse(input));
  const sealed = await answerStep(step, () => sealJournal(step, restoreDeps));
  return { writes: sealed?.writes ?? false, failed: sealed === undefined };
});
