import { openStore, StorageError } from '../../destination/index.ts';
import { type Clock, log, query, removeAll, type Tenant, walk } from '../../platform/index.ts';
import { type BackupRecord, backupKey, backupPrefix, workPartition } from '../model/record.ts';
import { retentionKey } from '../model/retention-due.ts';
import { deleteArchiveObjects } from './delete-archive-objects.ts';

export interface BackupPurge {
  /** Whether the objects in the customer's buckets go, too. */
  readonly deleteBackupData: boolean;
  /** False once enough has been tried: then a bucket that does not answer keeps its objects. */
  readonly isPatient: boolean;
}

/**
 * Removes the backups of an organization with what lies outside its partition, and tells whether none is left. What still runs
 * finds its record gone at its next commit, and ends.
 */
export const purgeBackups = async (
  tenant: Tenant,
  wish: BackupPurge,
  until: Date,
  time: Clock,
  open: typeof openStore = openStore,
): Promise<boolean> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix };
  for await (const backup of walk<BackupRecord>(range)) {
    if (time.now() >= until) return false;
    await erase(tenant, backup, wish, open);
    await removeWork(tenant, backup);
    const { id, archive, pk, sk, status } = backup;
    await removeAll([backupKey.running(tenant, id), backupKey.archive(tenant, archive.backup, id), { pk, sk }]);
    // Whatever was under way when the record went.
    if (status === 'pending' || status === 'running') await erase(tenant, backup, wish, open);
  }
  await removeAll([retentionKey(tenant)]);
  return true;
};

const erase = async (
  tenant: Tenant,
  backup: BackupRecord,
  { deleteBackupData, isPatient }: BackupPurge,
  open: typeof openStore,
): Promise<void> => {
  // What is on its way to or from another organization has its objects there.
  if (!deleteBackupData || backup.arriving !== undefined || backup.leaving !== undefined) return;
  try {
    await deleteArchiveObjects(tenant, backup, open);
  } catch (error) {
    if (isPatient || !(error instanceof StorageError)) throw error;
    log.warn('the objects of a purged backup stay', { backupId: backup.id, reason: error.message });
  }
};

const removeWork = async (tenant: Tenant, { id }: BackupRecord): Promise<void> => {
  // Every sort key in it begins with a letter.
  const range = { pk: workPartition(tenant, id), prefix: '', from: '0' };
  for (let next: string | undefined = ''; next !== undefined; ) {
    const page = await query({ ...range, limit: 200 });
    await removeAll(page.items);
    next = page.next;
  }
};
