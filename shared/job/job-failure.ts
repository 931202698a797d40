import { ArchiveError } from '../archive/index.ts';
import { ApiError, type ErrorDetails, type JobErrorCode } from '../contract/errors.ts';
import { StorageError } from '../destination/index.ts';
import { SourceError } from '../firestore/index.ts';

/** Why a job cannot go on, in the words of its record's `error`: trying again does not help. Its message is fit for the customer. */
export class JobFailure extends Error {
  readonly code: JobErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: JobErrorCode, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.name = 'JobFailure';
    this.code = code;
    this.details = details;
  }
}

export type StorageFailure = 'STORAGE_UPLOAD_ERROR' | 'STORAGE_READ_ERROR';

/** What a store said that was to keep something, where the same step also reads from others. */
export class UploadError extends StorageError {}

/**
 * What an error means for a job, if trying again cannot help; undefined if it may. `storage` says what was wanted of the store
 * when it refused.
 */
export const failureOf = (error: unknown, storage: StorageFailure = 'STORAGE_UPLOAD_ERROR'): JobFailure | undefined => {
  const cause = { cause: error };
  if (error instanceof JobFailure) return error;
  if (error instanceof SourceError)
    return error.isTransient || error.code === 'CANCELLED'
      ? undefined
      : new JobFailure(error.code, error.message, undefined, cause);
  if (error instanceof StorageError)
    return error.isTransient
      ? undefined
      : new JobFailure(storageCode(error, storage), error.message, { reason: error.code }, cause);
  // Another machine may not be faulty.
  if (error instanceof ArchiveError && error.code !== 'self-check-failed')
    return corruptionFailure(error.object?.name, error.code, error.message, cause);
  if (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND')
    return new JobFailure(storage, 'The storage destination is gone', undefined, cause);
  if (error instanceof ApiError && error.code === 'PROJECT_NOT_FOUND')
    return new JobFailure('SOURCE_AUTH_ERROR', 'The project is no longer connected', undefined, cause);
  return undefined;
};

export const storageCode = (error: StorageError, storage: StorageFailure): StorageFailure =>
  error instanceof UploadError ? 'STORAGE_UPLOAD_ERROR' : storage;

/** A backup that is not what it was when it was made; `object` says what of it is to be looked at. */
export const corruptionFailure = (
  object: string | undefined,
  reason: string,
  message: string,
  options?: ErrorOptions,
): JobFailure =>
  new JobFailure(
    'CHUNK_CORRUPT',
    object === undefined ? message : `${object}: ${message}`,
    { reason, ...(object !== undefined && { object }) },
    options,
  );
