/** Opening what a restore reads. What is wrong with it is told by the object that is to be looked at. */
import type { ArchiveError } from '../../archive/index.ts';
import { type BackupRecord, type Doors, type OpenArchive, openArchive, readBackup } from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { type ObjectStore, StorageError } from '../../destination/index.ts';
import { corruptionFailure, JobFailure } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';

export const openForRestore = (tenant: Tenant, backup: BackupRecord, doors: Doors): Promise<OpenArchive> =>
  openArchive(tenant, backup, undefined, withObjectNames(doors));

/** The same for whoever vouches for all that will be read later: of every object also the beginning is proven. */
export const openVerified = (tenant: Tenant, backup: BackupRecord, doors: Doors): Promise<OpenArchive> =>
  openArchive(tenant, backup, undefined, { ...withObjectNames(doors), provesHeaders: true });

/** The backup of a restore. It is held while the restore runs, so that it is gone says that its organization goes. */
export const readSourceBackup = async (tenant: Tenant, backupId: string): Promise<BackupRecord> => {
  try {
    return await readBackup(tenant, backupId);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'BACKUP_NOT_FOUND') throw error;
    throw new JobFailure('STORAGE_READ_ERROR', 'The backup is gone', undefined, { cause: error });
  }
};

/** Stores whose refusals say of what. */
export const withObjectNames = (doors: Doors): Doors => ({
  dataKeyOf: doors.dataKeyOf,
  openStore: async (...all) => naming(await doors.openStore(...all)),
});

const naming = (store: ObjectStore): ObjectStore => ({
  put: (...all) => store.put(...all),
  upload: (...all) => store.upload(...all),
  get: (name, ...all) => store.get(name, ...all).catch((error: unknown) => refuse(name, error)),
  head: (name, ...all) => store.head(name, ...all).catch((error: unknown) => refuse(name, error)),
  list: (...all) => store.list(...all),
  remove: (...all) => store.remove(...all),
  abortUnfinishedUploads: (...all) => store.abortUnfinishedUploads(...all),
  close: () => store.close(),
});

/** An object that is gone, or shorter than it was, is damage; a store that does not let us read it is not. */
const refuse = (object: string, error: unknown): never => {
  if (!(error instanceof StorageError) || error.isTransient || error.bucket) throw error;
  if (error.code === 'missing') throw corruptionFailure(object, 'missing', 'The object is not there', { cause: error });
  if (error.code === 'invalid') throw corruptionFailure(object, 'size', error.message, { cause: error });
  throw new JobFailure('STORAGE_READ_ERROR', `${object}: ${error.message}`, { reason: error.code, object }, { cause: error });
};

/** A manifest that is the one on record and does not open: it is the key that is another. */
export const keyMismatchFailure = ({ code, object }: ArchiveError): JobFailure | undefined =>
  code === 'tag-mismatch'
    ? new JobFailure('KEY_UNAVAILABLE', 'The key does not open the manifest of the backup', {
        reason: code,
        object: object?.name ?? 'manifest',
      })
    : undefined;
