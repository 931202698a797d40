/** Ends a restore whose workflow cannot go on; one that has ended already is only cleaned up after. */
import { bestEffort, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { cleanUpDeps, cleanUpRestore, failRestore, RestoreFailStep, failureReason } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<void> => {
  const { organizationId, restoreJobId, attempt, error } = RestoreFailStep.parse(input);
  const tenant = unsafeTenant(organizationId, 'record');
  await failRestore(tenant, restoreJobId, (restore) => failureReason(restore, error), clock.now(), attempt);
  // A destination that does not answer now is asked again by the reaper.
  await bestEffort(`clean up after ${restoreJobId}`, cleanUpRestore(tenant, restoreJobId, cleanUpDeps, { attempt }));
});
