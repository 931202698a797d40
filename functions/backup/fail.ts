/** Ends a backup whose workflow cannot go on; one that has ended already is only cleaned up after. */
import { backupDeps, cleanUpBackup, FailStep, failBackup, reasonFor } from '../../shared/backup/index.ts';
import { bestEffort, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<void> => {
  const { organizationId, backupId, error } = FailStep.parse(input);
  const tenant = unsafeTenant(organizationId, 'record');
  const now = clock.now();
  await failBackup(tenant, backupId, (backup) => reasonFor(backup, error, now), now);
  // A destination that does not answer now is asked again by the reaper.
  await bestEffort(`clean up after ${backupId}`, cleanUpBackup(tenant, backupId, backupDeps));
});
