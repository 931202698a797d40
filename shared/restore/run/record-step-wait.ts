import { StorageError } from '../../destination/index.ts';
import { JobFailure, UploadError, waitReason } from '../../job/index.ts';
import { after, commit, iso } from '../../platform/index.ts';
import { loadRestoreContext } from '../model/restore-context.ts';
import { loadRunning, type RestoreAttempt } from '../model/running-restore.ts';
import { waitWrites } from './wait-writes.ts';

/** A restore ends after this long without an answer of the bucket. Without this limit the retries of all steps take hours. */
const storageMaxSeconds = 30 * 60;

/**
 * A step has failed with a transient error: the restore waits until the workflow repeats it. Returns the failure of a restore whose
 * bucket has not answered for too long.
 */
export const recordStepWait = async (step: RestoreAttempt, error: unknown, now: Date): Promise<JobFailure | undefined> => {
  const reason = waitReason(error);
  if (!reason) return undefined;
  const { restore, organization } = await loadRunning(step);
  const { waitingFor } = restore;
  if (error instanceof StorageError && waitingFor?.reason === 'storage') {
    const { since } = waitingFor;
    return since <= iso(after(now, -storageMaxSeconds)) ? storageFailure(error, since) : undefined;
  }
  if (!waitingFor) {
    const context = await loadRestoreContext(step.tenant, restore, organization);
    await commit(waitWrites(context, { restore, waitingFor: { reason, since: iso(now) }, now }));
  }
  return undefined;
};

const storageFailure = (error: StorageError, since: string): JobFailure =>
  new JobFailure(
    error instanceof UploadError ? 'STORAGE_UPLOAD_ERROR' : 'STORAGE_READ_ERROR',
    `The bucket has not answered for ${storageMaxSeconds / 60} minutes: ${error.message}`,
    { reason: error.code, since },
    { cause: error },
  );
