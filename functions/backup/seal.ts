/** Proves that all of a backup is stored, and completes it. */
import { answerStep, BackupStep, engine, sealBackup } from '../../shared/backup/index.ts';
import { lambdaHandler, proveTenant } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ failed: boolean }> => {
  const { organizationId, backupId } = BackupStep.parse(input);
  const tenant = proveTenant(organizationId, 'record');
  const done = await answerStep(tenant, backupId, async () => {
    await sealBackup(tenant, backupId, engine);
    return true;
  });
  return { failed: done === undefined };
});
