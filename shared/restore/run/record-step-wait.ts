import { type JobFailure, outageFailure, waitContinues, waitReason } from '../../job/index.ts';
import { commit, iso } from '../../platform/index.ts';
import { loadRestoreContext } from '../model/restore-context.ts';
import { restorePatience } from '../model/restore-patience.ts';
import { loadRunning, type RestoreAttempt, updateRunning } from '../model/running-restore.ts';
import { waitWrites } from './wait-writes.ts';

/**
 * A step has failed with a transient error: the restore waits until the workflow repeats it. Returns the failure of a restore that
 * has waited for too long.
 */
export const recordStepWait = async (step: RestoreAttempt, error: unknown, now: Date): Promise<JobFailure | undefined> => {
  const reason = waitReason(error);
  if (!reason) return undefined;
  const { tenant, attempt } = step;
  const { restore, organization } = await loadRunning(step);
  const problem = (error as Error).message;
  const failure = outageFailure(restore, { patience: restorePatience(restore), error, storage: 'STORAGE_READ_ERROR', now });
  if (failure) return failure;
  if (restore.waitingFor) {
    const { expected, ...change } = waitContinues(restore, problem, now);
    await commit([updateRunning(tenant, restore.id, { ...change, expected: { ...expected, attempt } })]);
  } else {
    const context = await loadRestoreContext(tenant, restore, organization);
    await commit(waitWrites(context, { restore, wait: { reason, since: iso(now) }, problem, now }));
  }
  return undefined;
};
