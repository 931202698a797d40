import { ArchiveError } from '../archive/index.ts';
import { ApiError, type ErrorDetails, type JobErrorCode } from '../contract/errors.ts';
import { StorageError } from '../destination/index.ts';
import { SourceError } from '../firestore/index.ts';

/** A permanent failure, as in the `error` of the job's record. The message is for the customer. */
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

/** A StorageError of a write, in a step that also reads from other stores. */
export class UploadError extends StorageError {}

export const throwAsUploadError = (error: unknown): never => {
  if (!(error instanceof StorageError) || error instanceof UploadError) throw error;
  throw new UploadError(error.code, error.message, { cause: error, bucket: error.bucket, mismatch: error.mismatch });
};

/** The job failure that an error means; undefined if a retry may succeed. `storage` is the code of a StorageError. */
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
      : new JobFailure(storageCode(error, storage), error.message, { reason: error.code, ...error.mismatch }, cause);
  // A failed self-check points to a faulty machine; a retry runs on another one.
  if (error instanceof ArchiveError && error.code !== 'self-check-failed')
    return corruptionFailure(error.object?.name, { reason: error.code, message: error.message, cause: error });
  if (error instanceof ApiError && error.code === 'STORAGE_NOT_FOUND')
    return new JobFailure(storage, 'The storage destination was deleted', undefined, cause);
  if (error instanceof ApiError && error.code === 'PROJECT_NOT_FOUND')
    return new JobFailure('SOURCE_AUTH_ERROR', 'The project is no longer connected', undefined, cause);
  return undefined;
};

export const storageCode = (error: StorageError, storage: StorageFailure): StorageFailure =>
  error instanceof UploadError ? 'STORAGE_UPLOAD_ERROR' : storage;

/** A backup whose objects were damaged or changed. `object` is the affected one. */
export const corruptionFailure = (
  object: string | undefined,
  { reason, message, cause }: { readonly reason: string; readonly message: string; readonly cause?: unknown },
): JobFailure =>
  new JobFailure(
    'CHUNK_CORRUPT',
    object === undefined ? message : `${object}: ${message}`,
    { reason, ...(object !== undefined && { object }) },
    cause === undefined ? undefined : { cause },
  );
