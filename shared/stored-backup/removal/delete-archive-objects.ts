/** Deletes a backup's objects from the customer's bucket: the objects named by the archive format, and nothing else. */
import { keyFileName, manifestName, objectKind } from '../../archive/index.ts';
import { abortUploadsOf, deleteFromDestination, type ObjectStore, type openStore } from '../../destination/index.ts';
import { bestEffort, clock, commit, get, iso, set, type Tenant, type Write } from '../../platform/index.ts';
import { backupAudit } from '../model/backup-audit.ts';
import { removedDataErasureTasks } from '../model/erasure-tasks.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { findOtherOwner } from '../model/shared-archives.ts';
import { isRetired } from './retire-backup.ts';

/** The task of a backup that was deleted or has expired. Idempotent. */
export const eraseBackup = async (
  tenant: Tenant,
  {
    backupId,
    open,
    signal,
  }: { readonly backupId: string; readonly open?: typeof openStore | undefined; readonly signal?: AbortSignal | undefined },
): Promise<void> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  if (!backup || !isRetired(backup)) return;
  const link = backupKey.archive(tenant, backup.archive.backup, backupId);
  const isFirst = (await get(link)) !== undefined;
  const reason = await deleteArchiveObjects(tenant, backup, { openStore: open, signal });
  const now = clock.now();
  const kept = reason === undefined ? [] : isFirst ? objectsKeptWrites(tenant, { backup, reason, now }) : [];
  const isDeletedAtLast = reason === undefined && backup.objectsKept !== undefined;
  const cleared = isDeletedAtLast ? [set(backupKey.backup(tenant, backupId), { objectsKept: undefined })] : [];
  // Without the link, objects at this path may be imported again.
  await commit([{ remove: link }, ...kept, ...cleared, ...(await removedDataErasureTasks(tenant, backup, now))]);
};

/** Records, once for all, that objects of a backup stay in the customer's bucket. */
export const objectsKeptWrites = (
  tenant: Tenant,
  { backup, reason, now }: { readonly backup: BackupRecord; readonly reason: string; readonly now: Date },
): readonly Write[] => [
  set(backupKey.backup(tenant, backup.id), { objectsKept: { reason, since: iso(now) } }),
  backupAudit(tenant, { action: 'backup.objects_kept', backup, details: { reason, path: backup.path }, now }),
];

/** Why objects stay in the bucket until the last backup that shares them is deleted. */
export const sharedObjects = 'Another backup shares them';

/** Where an archive stores its objects: a backup, or one that was never completed. */
export type ArchiveLocation = Pick<BackupRecord, 'id' | 'archive' | 'path' | 'storageDestination'>;

interface DeleteObjectsOptions {
  readonly openStore?: typeof openStore | undefined;
  /** Once it aborts, the rest is left to the next run. */
  readonly signal?: AbortSignal | undefined;
  /** Names of objects that may have an unfinished upload. */
  readonly uploads?: readonly string[] | undefined;
  /** Rejects if the store refuses, too. */
  readonly rejectsRefusal?: boolean;
}

/** Rejects only if a retry may help. Objects that the store refuses to delete stay in the customer's bucket; then it returns why. */
export const deleteArchiveObjects = (
  tenant: Tenant,
  backup: ArchiveLocation,
  { openStore: open, signal, uploads = [], rejectsRefusal = false }: DeleteObjectsOptions = {},
): Promise<string | undefined> =>
  deleteFromDestination(
    tenant,
    {
      destinationId: backup.storageDestination.id,
      path: backup.path,
      reasonToKeep: async () => ((await findOtherOwner(tenant, backup)) ? sharedObjects : undefined),
      rejectsRefusal,
      ...(open && { openStore: open }),
    },
    (store) => deleteObjects(store, uploads, signal),
  );

const namesMax = 1_000;

const deleteObjects = async (store: ObjectStore, uploads: readonly string[], signal?: AbortSignal): Promise<void> => {
  // The manifest first: without it the folder is no backup, even if the rest fails.
  await store.remove([manifestName], signal);
  // Uploads next: one that a parallel worker finishes now would leave an object that the list below does not have.
  await bestEffort('abort unfinished uploads', abortUploadsOf(store, uploads, signal));
  let names: string[] = [];
  for await (const { name } of store.list('', signal)) {
    if (objectKind(name) === undefined && name !== keyFileName) continue;
    names.push(name);
    if (names.length < namesMax) continue;
    await store.remove(names, signal);
    names = [];
  }
  await store.remove(names, signal);
  await abortUploadsOf(store, uploads, signal);
};
