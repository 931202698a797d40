/** Completes the safety backup, and answers whether there is anything to write. */
import { proveTenant } from '../../shared/platform/index.ts';
import { answerStep, RestoreStep, restoreEngine, sealJournal } from '../../shared/restore/index.ts';

export const handler = async (input: unknown): Promise<{ writes: boolean; failed: boolean }> => {
  const { organizationId, restoreJobId } = RestoreStep.parse(input);
  const tenant = proveTenant(organizationId, 'record');
  const sealed = await answerStep(tenant, restoreJobId, () => sealJournal(tenant, restoreJobId, restoreEngine));
  return { writes: sealed?.writes ?? false, failed: sealed === undefined };
};
