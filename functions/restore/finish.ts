/** Accounts for every document of the plan, and ends the restore. */
import { lambdaHandler, proveTenant } from '../../shared/platform/index.ts';
import { answerStep, cleaningEngine, finishRestore, RestoreStep } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ failed: boolean }> => {
  const { organizationId, restoreJobId, attempt } = RestoreStep.parse(input);
  const tenant = proveTenant(organizationId, 'record');
  const work = async () => {
    await finishRestore(tenant, restoreJobId, cleaningEngine, attempt);
    return true;
  };
  const done = await answerStep(tenant, restoreJobId, work, attempt);
  return { failed: done === undefined };
});
