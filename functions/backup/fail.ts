/** Fails a backup whose workflow cannot continue, and cleans up after it. */
import { backupDeps, cleanUpBackup, FailStep, failBackup, reasonFor } from '../../shared/backup/index.ts';
import { bestEffort, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<void> => {
  const { organizationId, backupId, error } = FailStep.parse(input);
  const tenant = unsafeTenant(organizationId, 'record');
  const now = clock.now();
  await failBackup(tenant, backupId, (backup) => reasonFor(backup, error, now), now);
  // If the destination does not respond, the reaper tries again.
  await bestEffort(`clean up after ${backupId}`, cleanUpBackup(tenant, backupId, backupDeps, { waitsForWorkers: true }));
});
