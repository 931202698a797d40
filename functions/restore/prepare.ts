/** Begins a restore, and answers the numbers of its shards. */
import { proveTenant } from '../../shared/platform/index.ts';
import { answerStep, prepareRestore, RestoreStep, restoreEngine } from '../../shared/restore/index.ts';

export const handler = async (input: unknown): Promise<{ shards: readonly number[]; failed: boolean }> => {
  const { organizationId, restoreJobId } = RestoreStep.parse(input);
  const tenant = proveTenant(organizationId, 'record');
  const plan = await answerStep(tenant, restoreJobId, () => prepareRestore(tenant, restoreJobId, restoreEngine));
  return { shards: plan?.shards ?? [], failed: plan === undefined };
};
