/** Reading a backup within one call, and saying what comes of it in the interface's words. */

import { ArchiveError } from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { openStore, requestRetryPolicy, StorageError } from '../../destination/index.ts';
import { SourceError } from '../../firestore/index.ts';
import { JobFailure } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { backupDeps } from '../backup-deps.ts';
import { noSuchBackup } from '../model/get-backup.ts';
import type { BackupRecord } from '../model/record.ts';
import { type Doors, type OpenArchive, openArchive } from './open-archive.ts';

/** Somebody waits: a store that is slow is given up before the call is. */
export const requestArchiveDeps: Doors = {
  dataKeyOf: backupDeps.dataKeyOf,
  openStore: (tenant, destination, folder) => openStore(tenant, destination, folder, requestRetryPolicy),
};

/** Runs the work with the backup open, and closes it; what the store, the key or the archive refuses becomes an ApiError. */
export const withArchiveInRequest = async <T>(
  tenant: Tenant,
  backup: BackupRecord,
  work: (open: OpenArchive) => Promise<T>,
  doors: Doors = requestArchiveDeps,
): Promise<T> => {
  refuseUnlessWhole(backup);
  let open: OpenArchive | undefined;
  try {
    open = await openArchive(tenant, backup, undefined, doors);
    return await work(open);
  } catch (error) {
    throw asReadingError(error);
  } finally {
    open?.close();
  }
};

/** Only what was completed and is still there can be looked into. */
export const refuseUnlessWhole = ({ status }: BackupRecord): void => {
  if (status === 'deleted') throw noSuchBackup();
  if (status !== 'completed')
    throw new ApiError('CONFLICT', `Only a completed backup can be looked into; this one is ${status}`, { status });
};

/** The store did not answer, the object is damaged, the key is not to be had: three different things, told apart by `reason`. */
export const asReadingError = (error: unknown): unknown => {
  const cause = { cause: error };
  if (error instanceof StorageError)
    return new ApiError(
      'STORAGE_ERROR',
      `The backup cannot be read: ${error.message}`,
      { step: 'read', reason: error.code },
      cause,
    );
  if (error instanceof ArchiveError)
    return new ApiError(
      'STORAGE_ERROR',
      `The backup is damaged: ${error.object?.name ?? 'manifest'}: ${error.message}`,
      { step: 'read', reason: 'corrupt', code: 'CHUNK_CORRUPT', object: error.object?.name ?? 'manifest' },
      cause,
    );
  if (error instanceof JobFailure)
    return new ApiError('CONFLICT', `The backup cannot be opened: ${error.message}`, { reason: error.code }, cause);
  if (error instanceof SourceError && error.code === 'SOURCE_AUTH_ERROR')
    return new ApiError('SOURCE_AUTH_ERROR', error.message, undefined, cause);
  if (error instanceof SourceError)
    return new ApiError('SERVICE_UNAVAILABLE', 'The source project does not answer; try again shortly', undefined, {
      ...cause,
      headers: { 'retry-after': '5' },
    });
  return error;
};
