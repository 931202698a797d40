/** Chooses what a backup reads, and answers the numbers of its shards. */
import { answerStep, BackupStep, planBackup } from '../../shared/backup/index.ts';
import { clock, proveTenant } from '../../shared/platform/index.ts';
import { openSource } from '../../shared/project/index.ts';

export const handler = async (input: unknown): Promise<{ shards: readonly number[]; failed: boolean }> => {
  const { organizationId, backupId } = BackupStep.parse(input);
  const tenant = proveTenant(organizationId, 'record');
  const plan = await answerStep(tenant, backupId, () => planBackup(tenant, backupId, { clock, openSource }));
  return { shards: plan?.shards ?? [], failed: plan === undefined };
};
