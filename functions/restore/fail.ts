/** Fails a restore whose workflow cannot continue; a restore that has already ended is only cleaned up. */
import { bestEffort, clock, lambdaHandler, unsafeTenant } from '../../shared/platform/index.ts';
import { cleanUpDeps, cleanUpRestore, failRestore, failureReason, RestoreFailStep } from '../../shared/restore/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<void> => {
  const { organizationId, restoreJobId, attempt, error } = RestoreFailStep.parse(input);
  const tenant = unsafeTenant(organizationId, 'record');
  const now = clock.now();
  await failRestore({ tenant, restoreJobId, attempt, reasonOf: (restore) => failureReason(restore, error), now });
  // The reaper retries a destination that does not answer.
  await bestEffort(`clean up after ${restoreJobId}`, cleanUpRestore(tenant, restoreJobId, cleanUpDeps, { attempt }));
});
