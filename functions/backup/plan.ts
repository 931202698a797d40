/** Plans what a backup reads, and returns its shard numbers. */
import { answerStep, BackupStep, backupDeps, planBackup } from '../../shared/backup/index.ts';
import { lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ shards: readonly number[]; failed: boolean }> => {
  const { organizationId, backupId } = BackupStep.parse(input);
  const tenant = unsafeTenant(organizationId, 'record');
  const plan = await answerStep(tenant, backupId, () => planBackup(tenant, backupId, backupDeps));
  return { shards: plan?.shards ?? [], failed: plan === undefined };
});
