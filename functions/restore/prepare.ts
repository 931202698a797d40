/** Begins a restore, and answers the numbers of its shards. */
import { lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { answerStep, prepareRestore, RestoreStep, restoreDeps } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ shards: readonly number[]; failed: boolean }> => {
  const { organizationId, restoreJobId, attempt } = RestoreStep.parse(input);
  const tenant = unsafeTenant(organizationId, 'record');
  const work = () => prepareRestore(tenant, restoreJobId, restoreDeps, attempt);
  const plan = await answerStep(tenant, restoreJobId, work, attempt);
  return { shards: plan?.shards ?? [], failed: plan === undefined };
});
