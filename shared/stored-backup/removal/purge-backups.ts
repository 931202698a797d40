import type { openStore } from '../../destination/index.ts';
import { type PurgeOptions, purgeObjects, workPartition } from '../../job/index.ts';
import { deletePartition, removeAll, type Tenant, walk } from '../../platform/index.ts';
import { isInMove } from '../../project/index.ts';
import { type BackupRecord, backupKey, backupPrefix } from '../model/record.ts';
import { retentionKey } from '../model/retention-due.ts';
import { readUnstoredObjects } from '../model/unstored-objects.ts';
import { deleteArchiveObjects } from './delete-archive-objects.ts';

/**
 * Deletes the backups of an organization with everything outside its partition. False if the deadline passed first. A backup
 * that still runs finds its record gone at its next commit, and ends.
 */
export const purgeBackups = async (tenant: Tenant, options: PurgeOptions, open?: typeof openStore): Promise<boolean> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix };
  for await (const backup of walk<BackupRecord>(range)) {
    if (options.clock.now() >= options.deadline) return false;
    const { id, archive, pk, sk, status } = backup;
    const uploads = await readUnstoredObjects(workPartition(tenant, id), archive.backup);
    const deleteObjects = async (): Promise<void> => {
      // A backup that moves between organizations has its objects in the other one.
      if (!isInMove(backup))
        await purgeObjects(id, options, () => deleteArchiveObjects(tenant, backup, { openStore: open, uploads }));
    };
    await deleteObjects();
    await deletePartition(workPartition(tenant, id));
    await removeAll([backupKey.running(tenant, id), backupKey.archive(tenant, archive.backup, id), { pk, sk }]);
    // Again, for objects that were being written when the record was deleted.
    if (status === 'pending' || status === 'running') await deleteObjects();
  }
  await removeAll([retentionKey(tenant)]);
  return true;
};
