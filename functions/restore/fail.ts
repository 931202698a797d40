/** Fails a restore whose workflow cannot continue; a restore that has already ended is only cleaned up. */
import { bestEffort, clock, lambdaHandler } from '../../shared/platform/index.ts';
import {
  attemptOf,
  cleanUpDeps,
  cleanUpRestore,
  failRestore,
  failureReason,
  RestoreFailStep,
  type RestoreRecord,
} from '../../shared/restore/index.ts';

export const handler = lambdaHandler(async (input: unknown): Promise<void> => {
  const step = RestoreFailStep.parse(input);
  const { tenant, restoreJobId, attempt } = attemptOf(step);
  const reasonOf = (restore: RestoreRecord) => failureReason(restore, step.error);
  await failRestore({ tenant, restoreJobId, attempt, reasonOf, now: clock.now() });
  // The reaper retries a destination that does not answer.
  await bestEffort(`clean up after ${restoreJobId}`, cleanUpRestore(tenant, restoreJobId, cleanUpDeps, { attempt }));
});
