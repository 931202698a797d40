/** Begins a backup. */
import { answerStep, BackupStep, engine, prepareBackup } from '../../shared/backup/index.ts';
import { lambdaHandler, proveTenant } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ failed: boolean }> => {
  const { organizationId, backupId } = BackupStep.parse(input);
  const tenant = proveTenant(organizationId, 'record');
  const done = await answerStep(tenant, backupId, async () => {
    await prepareBackup(tenant, backupId, engine);
    return true;
  });
  return { failed: done === undefined };
});
