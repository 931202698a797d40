/** Begins a backup. */
import { BackupStep, engine, prepareBackup, runStep } from '../../shared/backup/index.ts';
import { proveTenant } from '../../shared/platform/index.ts';

export const handler = async (input: unknown): Promise<void> => {
  const { organizationId, backupId } = BackupStep.parse(input);
  const tenant = proveTenant(organizationId, 'record');
  await runStep(tenant, backupId, () => prepareBackup(tenant, backupId, engine));
};
