/** Chooses what a backup reads, and answers the numbers of its shards. */
import { BackupStep, planBackup, runStep } from '../../shared/backup/index.ts';
import { clock, proveTenant } from '../../shared/platform/index.ts';
import { openSource } from '../../shared/project/index.ts';

export const handler = async (input: unknown): Promise<{ shards: readonly number[] }> => {
  const { organizationId, backupId } = BackupStep.parse(input);
  const tenant = proveTenant(organizationId, 'record');
  return runStep(tenant, backupId, () => planBackup(tenant, backupId, { clock, openSource }));
};
