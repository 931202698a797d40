/** Chooses what a backup reads, and answers the numbers of its shards. */
import { answerStep, BackupStep, engine, planBackup } from '../../shared/backup/index.ts';
import { lambdaHandler, proveTenant } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ shards: readonly number[]; failed: boolean }> => {
  const { organizationId, backupId } = BackupStep.parse(input);
  const tenant = proveTenant(organizationId, 'record');
  const plan = await answerStep(tenant, backupId, () => planBackup(tenant, backupId, engine));
  return { shards: plan?.shards ?? [], failed: plan === undefined };
});
