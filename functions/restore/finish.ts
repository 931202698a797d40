/** Accounts for every document of the plan, and ends the restore. */
import { proveTenant } from '../../shared/platform/index.ts';
import { answerStep, cleaningEngine, finishRestore, RestoreStep } from '../../shared/restore/index.ts';

export const handler = async (input: unknown): Promise<{ failed: boolean }> => {
  const { organizationId, restoreJobId } = RestoreStep.parse(input);
  const tenant = proveTenant(organizationId, 'record');
  const done = await answerStep(tenant, restoreJobId, async () => {
    await finishRestore(tenant, restoreJobId, cleaningEngine);
    return true;
  });
  return { failed: done === undefined };
};
