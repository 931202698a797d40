/** Reads a backup within an API request, and maps failures to API errors. */
import { ArchiveError } from '../../archive/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { openStoreInRequest, StorageError } from '../../destination/index.ts';
import { SourceError } from '../../firestore/index.ts';
import { JobFailure } from '../../job/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { backupDeps } from '../backup-deps.ts';
import { noSuchBackup } from '../model/read-backup.ts';
import type { BackupRecord } from '../model/record.ts';
import { type ArchiveDeps, type OpenArchive, openArchive } from './open-archive.ts';

/** A slow store is given up before the request times out. */
export const requestArchiveDeps: ArchiveDeps = {
  dataKeyOf: backupDeps.dataKeyOf,
  openStore: openStoreInRequest,
};

/** Runs `work` with the backup open. Errors of the store, the key and the archive become ApiErrors. */
export const withArchiveInRequest = async <T>(
  tenant: Tenant,
  {
    backup,
    work,
    deps = requestArchiveDeps,
  }: { readonly backup: BackupRecord; readonly work: (open: OpenArchive) => Promise<T>; readonly deps?: ArchiveDeps | undefined },
): Promise<T> => {
  assertCompleted(backup);
  let open: OpenArchive | undefined;
  try {
    open = await openArchive(tenant, { backup, deps });
    return await work(open);
  } catch (error) {
    throw toReadError(error);
  } finally {
    open?.close();
  }
};

export const assertCompleted = ({ status }: BackupRecord): void => {
  if (status === 'deleted') throw noSuchBackup();
  if (status !== 'completed')
    throw new ApiError('CONFLICT', `Only a completed backup can be read. This one is ${status}`, { status });
};

/** `reason` distinguishes an unreachable store, a damaged object and an unavailable key. */
export const toReadError = (error: unknown): unknown => {
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
    return new ApiError('SERVICE_UNAVAILABLE', 'The source project does not respond. Try again shortly', undefined, {
      ...cause,
      headers: { 'retry-after': '5' },
    });
  return error;
};
