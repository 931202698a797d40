/** Accounts for every document of the plan, and ends the restore. */
import { lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { answerStep, cleanUpDeps, finishRestore, RestoreStep } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ failed: boolean }> => {
  const { organizationId, restoreJobId, attempt } = RestoreStep.parse(input);
  const tenant = unsafeTenant(organizationId, 'record');
  const work = async () => {
    await finishRestore(tenant, restoreJobId, cleanUpDeps, attempt);
    return true;
  };
  const done = await answerStep(tenant, restoreJobId, work, attempt);
  return { failed: done === undefined };
});
