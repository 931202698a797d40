/** Opens the archives that a restore reads. Errors name the object that caused them. */
import type { ArchiveError } from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { type ObjectStore, StorageError } from '../../destination/index.ts';
import { corruptionFailure, JobFailure, wrapStore } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import {
  type ArchiveDeps,
  type BackupRecord,
  type OpenArchive,
  openArchive,
  openRawArchive,
  readBackup,
} from '../../stored-backup/index.ts';

export const openForRestore = (tenant: Tenant, backup: BackupRecord, deps: ArchiveDeps): Promise<OpenArchive> =>
  openArchive(tenant, { backup, deps: withObjectNames(deps) });

/** The journal names what to write; its contents are not read. The backup that is written from hides what is erased. */
export const openJournal = (tenant: Tenant, journal: BackupRecord, deps: ArchiveDeps): Promise<OpenArchive> =>
  openRawArchive(tenant, { backup: journal, deps: withObjectNames(deps) });

/** A running restore holds its backup, so a missing one means that the organization is being deleted. */
export const readSourceBackup = async (tenant: Tenant, backupId: string): Promise<BackupRecord> => {
  try {
    return await readBackup(tenant, backupId);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'BACKUP_NOT_FOUND') throw error;
    throw new JobFailure('STORAGE_READ_ERROR', 'The backup was deleted', undefined, { cause: error });
  }
};

export const withObjectNames = (deps: ArchiveDeps): ArchiveDeps => ({
  ...deps,
  openStore: async (...args) => nameErrors(await deps.openStore(...args)),
});

const nameErrors = (store: ObjectStore): ObjectStore =>
  wrapStore(store, (call, object) => call().catch((error: unknown) => throwNamed(object, error)));

/** A missing or truncated object is corruption; a store that denies access is not. */
const throwNamed = (object: string | undefined, error: unknown): never => {
  if (object === undefined || !(error instanceof StorageError) || error.isTransient || error.bucket) throw error;
  if (error.code === 'missing')
    throw corruptionFailure(object, { reason: 'missing', message: 'The object is missing', cause: error });
  if (error.code === 'invalid') throw corruptionFailure(object, { reason: 'size', message: error.message, cause: error });
  throw new JobFailure('STORAGE_READ_ERROR', `${object}: ${error.message}`, { reason: error.code, object }, { cause: error });
};

/** The manifest is the one on record but does not decrypt: the key is a different one. */
export const keyMismatchFailure = ({ code, object }: ArchiveError): JobFailure | undefined =>
  code === 'tag-mismatch'
    ? new JobFailure('KEY_UNAVAILABLE', 'The key does not decrypt the manifest of the backup', {
        reason: code,
        object: object?.name ?? 'manifest',
      })
    : undefined;
