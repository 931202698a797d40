/** Clean-up after a backup that failed or was cancelled. */
import { ApiError } from '../../contract/errors.ts';
import { countBackups } from '../../destination/index.ts';
import { deleteWorkItems } from '../../job/index.ts';
import { commit, getAll, log, remove, type Tenant, type Write } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { backupKey, workPartition } from '../model/record.ts';
import { deleteArchiveObjects } from '../removal/delete-archive-objects.ts';

/**
 * Deletes its objects and work items. The running item goes last, in the transaction that updates the destination's count: while
 * it exists, the reaper repeats the clean-up. Rejects if a retry may help; with `isGivenUp` the objects stay.
 */
export const cleanUpBackup = async (
  tenant: Tenant,
  backupId: string,
  deps: Pick<BackupDeps, 'openStore'>,
  { isGivenUp = false }: { readonly isGivenUp?: boolean } = {},
): Promise<void> => {
  const runningKey = backupKey.running(tenant, backupId);
  const [backup, runningItem] = await getAll([backupKey.backup(tenant, backupId), runningKey]);
  if (backup?.status === 'pending' || backup?.status === 'running') return;
  if (backup?.status === 'completed') return deleteWorkItems(workPartition(tenant, backupId));
  if (isGivenUp) log.error('the objects of a backup stay in its destination', { backupId });
  else if (backup) await deleteArchiveObjects(tenant, backup, deps.openStore);
  await deleteWorkItems(workPartition(tenant, backupId));
  if (!runningItem) return;
  if (!backup) return commit([remove(runningKey)]);
  const writes: readonly Write[] = [remove(runningKey), { remove: backupKey.archive(tenant, backup.archive.backup, backupId) }];
  try {
    await commit([...writes, countBackups(tenant, backup.storageDestination.id, -1)]);
  } catch (error) {
    // A deleted destination has no count. A conflict means that another run did the same concurrently.
    if (!(error instanceof ApiError) || error.code !== 'STORAGE_NOT_FOUND') throw error;
    await commit(writes);
  }
};
