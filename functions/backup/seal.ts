/** Checks that all objects of a backup are stored, and completes it. */
import { answerStep, BackupStep, backupDeps, sealBackup } from '../../shared/backup/index.ts';
import { lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ failed: boolean }> => {
  const { organizationId, backupId } = BackupStep.parse(input);
  const tenant = unsafeTenant(organizationId, 'record');
  const done = await answerStep(tenant, backupId, async () => {
    await sealBackup(tenant, backupId, backupDeps);
    return true;
  });
  return { failed: done === undefined };
});
