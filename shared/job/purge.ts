import { StorageError } from '../destination/index.ts';
import { type Clock, log } from '../platform/index.ts';

export interface PurgeOptions {
  /** Whether the objects in the customer's buckets are deleted, too. */
  readonly deleteBackupData: boolean;
  /** False once enough was tried: then a bucket that does not answer keeps its objects. */
  readonly isPatient: boolean;
  readonly deadline: Date;
  readonly clock: Clock;
}

export const purgeObjects = async (
  jobId: string,
  { deleteBackupData, isPatient }: PurgeOptions,
  deleteObjects: () => Promise<unknown>,
): Promise<void> => {
  if (!deleteBackupData) return;
  try {
    await deleteObjects();
  } catch (error) {
    if (isPatient || !(error instanceof StorageError)) throw error;
    log.warn('the objects of a purged job stay in the bucket', { jobId, reason: error.message });
  }
};
