/** Completes the safety backup, and answers whether there is anything to write. */
import { lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { answerStep, RestoreStep, restoreDeps, sealJournal } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ writes: boolean; failed: boolean }> => {
  const { organizationId, restoreJobId, attempt } = RestoreStep.parse(input);
  const tenant = unsafeTenant(organizationId, 'record');
  const work = () => sealJournal(tenant, restoreJobId, restoreDeps, attempt);
  const sealed = await answerStep(tenant, restoreJobId, work, attempt);
  return { writes: sealed?.writes ?? false, failed: sealed === undefined };
});
