/** Begins a restore, and returns the numbers of its shards. */
import { lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { answerStep, prepareRestore, RestoreStep, restoreDeps } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ shards: readonly number[]; failed: boolean }> => {
  const { organizationId, restoreJobId, attempt } = RestoreStep.parse(input);
  const step = { tenant: unsafeTenant(organizationId, 'record'), restoreJobId, attempt };
  const plan = await answerStep(step, () => prepareRestore(step, restoreDeps));
  return { shards: plan?.shards ?? [], failed: plan === undefined };
});
