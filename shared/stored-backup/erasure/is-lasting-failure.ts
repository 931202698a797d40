import { ApiError } from '../../contract/errors.ts';
import { StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';

/** What was to be read or written is damaged, gone or refused: a retry does not help. */
export const isLastingFailure = (error: unknown): error is Error => {
  if (error instanceof StorageError) return !error.isTransient;
  if (error instanceof ApiError) return error.code !== 'SERVICE_UNAVAILABLE';
  return error instanceof JobFailure;
};
