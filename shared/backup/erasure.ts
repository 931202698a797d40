/** Removing a backup's objects from the customer's bucket: its own objects, by their names, and nothing else that lies there. */
import { keyFileName, manifestName, objectKind } from '../archive/index.ts';
import { ApiError } from '../contract/errors.ts';
import { type DestinationRecord, openStore, readDestination, StorageError, type Store } from '../destination/index.ts';
import { get, log, type Tenant, walk } from '../platform/index.ts';
import { type BackupRecord, backupKey } from './record.ts';

/** What the task of a deleted backup does; twice is as good as once. */
export const eraseBackup = async (tenant: Tenant, backupId: string, open: typeof openStore = openStore): Promise<void> => {
  const backup = (await get(backupKey.backup(tenant, backupId))) as BackupRecord | undefined;
  if (backup?.status !== 'deleted') return;
  await eraseObjects(tenant, backup, open);
};

/** Rejects only if trying again may help; what the store refuses stays in the customer's bucket, and the log says so. */
export const eraseObjects = async (tenant: Tenant, backup: BackupRecord, open: typeof openStore = openStore): Promise<void> => {
  const destination = await destinationOf(tenant, backup);
  // Where nothing can be removed, trying would only be refused.
  if (!destination || destination.immutable || (await isShared(tenant, backup))) return;
  try {
    const store = await open(tenant, destination, backup.path);
    try {
      await erase(store);
    } finally {
      store.close();
    }
  } catch (error) {
    if (!(error instanceof StorageError) || error.isTransient) throw error;
    log.warn('the objects of a deleted backup stay', { backupId: backup.id, reason: error.message });
  }
};

/** A destination can be removed once no backup counts there. */
const destinationOf = async (
  tenant: Tenant,
  { id, storageDestination }: BackupRecord,
): Promise<DestinationRecord | undefined> => {
  try {
    return await readDestination(tenant, storageDestination.id);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'STORAGE_NOT_FOUND') throw error;
    log.warn('the destination of a deleted backup is gone', { backupId: id });
    return undefined;
  }
};

/** Whether another record still needs the objects: one of the same archive in the same place. A copy elsewhere has its own. */
const isShared = async (tenant: Tenant, { id, archive, path }: BackupRecord): Promise<boolean> => {
  const { pk, sk: prefix } = backupKey.archive(tenant, archive.backup, '');
  for await (const { backupId } of walk({ pk, prefix })) {
    if (backupId === id) continue;
    const other = (await get(backupKey.backup(tenant, backupId as string))) as BackupRecord | undefined;
    // In doubt they stay.
    if (!other || other.path === path) return true;
  }
  return false;
};

/** Names handed to the store at once; S3 takes 1,000. */
const namesMax = 1_000;

const erase = async (store: Store): Promise<void> => {
  // Without its manifest it is no backup any more, whatever happens to the rest.
  await store.remove([manifestName]);
  let names: string[] = [];
  for await (const { name } of store.list('')) {
    if (objectKind(name) === undefined && name !== keyFileName) continue;
    names.push(name);
    if (names.length < namesMax) continue;
    await store.remove(names);
    names = [];
  }
  await store.remove(names);
  await store.abandon('');
};
