import { cleanUpRestore, failRestore, failureReason } from '../../../../shared/restore/index.ts';
import type { RestoreEnv } from '../restore-env.ts';

/** What the workflow does after a cancellation: ends the restore once no writer is active, and cleans up. */
export const endCancelled = async (t: RestoreEnv, id: string): Promise<void> => {
  const { tenant, deps } = t;
  const { attempt } = t.restoreOf(id);
  const reasonOf: typeof failureReason = (restore) => failureReason(restore);
  await failRestore({ tenant, restoreJobId: id, attempt, reasonOf, now: deps.clock.now(), sleep: deps.sleep });
  await cleanUpRestore(tenant, { restoreJobId: id, deps });
};
