/** Prepares a backup: data key and source. */
import { answerStep, BackupStep, backupDeps, prepareBackup } from '../../shared/backup/index.ts';
import { lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<{ failed: boolean }> => {
  const { organizationId, backupId } = BackupStep.parse(input);
  const tenant = unsafeTenant(organizationId, 'record');
  const done = await answerStep(tenant, backupId, async () => {
    await prepareBackup(tenant, backupId, backupDeps);
    return true;
  });
  return { failed: done === undefined };
});
