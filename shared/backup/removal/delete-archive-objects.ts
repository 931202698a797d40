/** Deletes a backup's objects from the customer's bucket: the objects named by the archive format, and nothing else. */
import { keyFileName, manifestName, objectKind } from '../../archive/index.ts';
import { deleteFromDestination, type ObjectStore, type openStore } from '../../destination/index.ts';
import { clock, commit, get, type Tenant } from '../../platform/index.ts';
import { backupAudit } from '../model/backup-audit.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { findOtherOwner } from '../model/shared-archives.ts';
import { isRetired } from './retire-backup.ts';

/** The task of a backup that was deleted or has expired. Idempotent. */
export const eraseBackup = async (
  tenant: Tenant,
  backupId: string,
  open?: typeof openStore,
  signal?: AbortSignal,
): Promise<void> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  if (!backup || !isRetired(backup)) return;
  const link = backupKey.archive(tenant, backup.archive.backup, backupId);
  const isFirst = (await get(link)) !== undefined;
  const reason = await deleteArchiveObjects(tenant, backup, open, signal);
  const audit =
    reason === undefined || !isFirst ? [] : [backupAudit(tenant, 'backup.objects_kept', backup, { reason }, clock.now())];
  // Without the link, objects at this path may be imported again.
  await commit([{ remove: link }, ...audit]);
};

/** Where an archive stores its objects: a backup, or one that was never completed. */
export type ArchiveLocation = Pick<BackupRecord, 'id' | 'archive' | 'path' | 'storageDestination'>;

/**
 * Rejects only if a retry may help. Objects that the store refuses to delete stay in the customer's bucket; then it returns why.
 * Once the signal aborts, the rest is left to the next run.
 */
export const deleteArchiveObjects = (
  tenant: Tenant,
  backup: ArchiveLocation,
  open?: typeof openStore,
  signal?: AbortSignal,
): Promise<string | undefined> =>
  deleteFromDestination(
    tenant,
    {
      destinationId: backup.storageDestination.id,
      path: backup.path,
      reasonToKeep: async () => ((await findOtherOwner(tenant, backup)) ? 'Another backup shares them' : undefined),
      ...(open && { openStore: open }),
    },
    (store) => deleteObjects(store, signal),
  );

const namesMax = 1_000;

const deleteObjects = async (store: ObjectStore, signal?: AbortSignal): Promise<void> => {
  // The manifest first: without it the folder is no backup, even if the rest fails.
  await store.remove([manifestName], signal);
  let names: string[] = [];
  for await (const { name } of store.list('', signal)) {
    if (objectKind(name) === undefined && name !== keyFileName) continue;
    names.push(name);
    if (names.length < namesMax) continue;
    await store.remove(names, signal);
    names = [];
  }
  await store.remove(names, signal);
  await store.abortUnfinishedUploads('', signal);
};
