/** Seals the journal, and returns whether there is anything to write. */
import { lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { answerStep, RestoreStep, restoreDeps, sealJournal } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ writes: boolean; failed: boolean }> => {
  const { organizationId, restoreJobId, attempt } = RestoreStep.parse(input);
  const step = { tenant: unsafeTenant(organizationId, 'record'), restoreJobId, attempt };
  const sealed = await answerStep(step, () => sealJournal(step, restoreDeps));
  return { writes: sealed?.writes ?? false, failed: sealed === undefined };
});
