/** Removing a backup's objects from the customer's bucket: its own objects, by their names, and nothing else that lies there. */
import { keyFileName, manifestName, objectKind } from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { type DestinationRecord, type ObjectStore, openStore, readDestination, StorageError } from '../../destination/index.ts';
import { clock, commit, get, log, type Tenant } from '../../platform/index.ts';
import { backupAudit } from '../model/backup-audit.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { findOtherOwner } from '../model/shared-archives.ts';
import { isRetired } from './retire-backup.ts';

/** What the task of a backup that was deleted or has expired does; twice is as good as once. */
export const eraseBackup = async (
  tenant: Tenant,
  backupId: string,
  open: typeof openStore = openStore,
  signal?: AbortSignal,
): Promise<void> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  if (!backup || !isRetired(backup)) return;
  const place = backupKey.archive(tenant, backup.archive.backup, backupId);
  const isFirst = (await get(place)) !== undefined;
  const stay = await deleteArchiveObjects(tenant, backup, open, signal);
  // From here on what lies in its place may be imported again.
  const told =
    stay === undefined || !isFirst ? [] : [backupAudit(tenant, 'backup.objects_kept', backup, { reason: stay }, clock.now())];
  await commit([{ remove: place }, ...told]);
};

/** What has objects of its own in a bucket: a backup, or what was to become one. */
export type ArchiveLocation = Pick<BackupRecord, 'id' | 'archive' | 'path' | 'storageDestination'>;

/**
 * Rejects only if trying again may help. What the store refuses stays in the customer's bucket: then it answers why. The signal
 * ends it, and what is left is for another run.
 */
export const deleteArchiveObjects = async (
  tenant: Tenant,
  backup: ArchiveLocation,
  open: typeof openStore = openStore,
  signal?: AbortSignal,
): Promise<string | undefined> => {
  const destination = await destinationOf(tenant, backup);
  if (!destination) return 'The storage destination is gone';
  // Where nothing can be removed, trying would only be refused.
  if (destination.immutable) return 'The storage destination is immutable';
  if (await findOtherOwner(tenant, backup)) return 'Another backup shares them';
  try {
    const store = await open(tenant, destination, backup.path);
    try {
      await erase(store, signal);
      return undefined;
    } finally {
      store.close();
    }
  } catch (error) {
    if (!(error instanceof StorageError) || error.isTransient) throw error;
    log.warn('the objects of a deleted backup stay', { backupId: backup.id, reason: error.message });
    return error.message;
  }
};

/** A destination can be removed once no backup counts there. */
const destinationOf = async (
  tenant: Tenant,
  { id, storageDestination }: ArchiveLocation,
): Promise<DestinationRecord | undefined> => {
  try {
    return await readDestination(tenant, storageDestination.id);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'STORAGE_NOT_FOUND') throw error;
    log.warn('the destination of a deleted backup is gone', { backupId: id });
    return undefined;
  }
};

/** Names handed to the store at once; S3 takes 1,000. */
const namesMax = 1_000;

const erase = async (store: ObjectStore, signal?: AbortSignal): Promise<void> => {
  // Without its manifest it is no backup any more, whatever happens to the rest.
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
