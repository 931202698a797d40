/** Accounts for every document of the plan, and completes the restore. */
import { lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { answerStep, cleanUpDeps, finishRestore, RestoreStep } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ failed: boolean }> => {
  const { organizationId, restoreJobId, attempt } = RestoreStep.parse(input);
  const step = { tenant: unsafeTenant(organizationId, 'record'), restoreJobId, attempt };
  const done = await answerStep(step, async () => {
    await finishRestore(step, cleanUpDeps);
    return true;
  });
  return { failed: done === undefined };
});
