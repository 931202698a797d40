/** Chooses what a backup reads, and answers the numbers of its shards. */
import { BackupStep, engine, planBackup, runStep } from '../../shared/backup/index.ts';
import { proveTenant } from '../../shared/platform/index.ts';

export const handler = async (input: unknown): Promise<{ shards: readonly number[] }> => {
  const { organizationId, backupId } = BackupStep.parse(input);
  const tenant = proveTenant(organizationId, 'record');
  return runStep(tenant, backupId, () => planBackup(tenant, backupId, engine));
};
