/** Proves that all of a backup is stored, and completes it. */
import { BackupStep, engine, runStep, sealBackup } from '../../shared/backup/index.ts';
import { proveTenant } from '../../shared/platform/index.ts';

export const handler = async (input: unknown): Promise<void> => {
  const { organizationId, backupId } = BackupStep.parse(input);
  const tenant = proveTenant(organizationId, 'record');
  await runStep(tenant, backupId, () => sealBackup(tenant, backupId, engine));
};
