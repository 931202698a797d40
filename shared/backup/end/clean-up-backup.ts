/** What follows the end of a backup that was not completed: nothing of it stays, and it counts nowhere. */
import { ApiError } from '../../contract/errors.ts';
import { countBackups } from '../../destination/index.ts';
import { commit, getAll, log, type Tenant, type Write } from '../../platform/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { deleteArchiveObjects } from '../removal/delete-archive-objects.ts';
import { deleteWorkItems } from './delete-work-items.ts';

/**
 * Removes objects and notes of a backup that failed or was cancelled. The reaper's note goes last, in the one transaction that
 * takes the backup off its destination's count: as long as it is there, the reaper cleans again. Rejects if trying again may
 * help; one that is given up is not tried at all.
 */
export const cleanUpBackup = async (
  tenant: Tenant,
  backupId: string,
  deps: Pick<BackupDeps, 'openStore'>,
  isGivenUp = false,
): Promise<void> => {
  const running = backupKey.running(tenant, backupId);
  const [found, isNoted] = await getAll([backupKey.backup(tenant, backupId), running]);
  const backup = found as BackupRecord | undefined;
  if (backup?.status === 'pending' || backup?.status === 'running') return;
  if (backup?.status === 'completed') return deleteWorkItems(tenant, backupId);
  if (isGivenUp) log.error('the objects of a backup stay in its destination', { backupId });
  else if (backup) await deleteArchiveObjects(tenant, backup, deps.openStore);
  await deleteWorkItems(tenant, backupId);
  if (!isNoted) return;
  const last: Write = { remove: running, condition: 'attribute_exists(pk)' };
  if (!backup) return commit([last]);
  const archive: Write = { remove: backupKey.archive(tenant, backup.archive.backup, backupId) };
  try {
    await commit([last, archive, countBackups(tenant, backup.storageDestination.id, -1)]);
  } catch (error) {
    // Without its destination there is no count; a conflict says that another has done the same at the same moment.
    if (!(error instanceof ApiError) || error.code !== 'STORAGE_NOT_FOUND') throw error;
    await commit([last, archive]);
  }
};
