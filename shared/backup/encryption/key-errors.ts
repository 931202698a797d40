import { logLines } from '../../contract/runtime/alarm-log-lines.ts';
import { JobFailure } from '../../job/index.ts';
import { isTransientAwsError, log } from '../../platform/index.ts';

export const keyUnavailable = (message: string, cause?: unknown): JobFailure =>
  new JobFailure('KEY_UNAVAILABLE', message, undefined, cause === undefined ? undefined : { cause });

/** What KMS says when trying again does not help, in words a person can act on. */
const meanings: Readonly<Record<string, string>> = {
  DisabledException: 'The KMS key that wraps the keys of backups is disabled; enable it again',
  KMSInvalidStateException: 'The KMS key that wraps the keys of backups cannot be used in its present state',
  NotFoundException: 'The KMS key that wraps the key of this backup is gone',
  InvalidCiphertextException: 'KMS does not open the key of this backup: it was wrapped for another backup, or was changed',
  IncorrectKeyException: 'The key of this backup was wrapped by another KMS key',
  AccessDeniedException: 'The service is not allowed to use the KMS key that wraps the key of this backup',
};

/** One state has a way back that ends within days. */
const pendingDeletion = 'The KMS key that wraps the keys of backups is pending deletion; cancel the deletion';

/** A refusal is told as KEY_UNAVAILABLE and says nothing against the backup itself; that KMS is busy passes on, to be tried again. */
export const throwKmsFailure = (error: unknown): never => {
  const refusal = refusalOf(error);
  log.error(logLines.keyRefused, { reason: (error as Error).name });
  throw refusal;
};

/** The same for a key that somebody brought along: whatever KMS says of it, nobody needs to be woken. */
export const throwForeignKmsFailure = (error: unknown): never => {
  throw refusalOf(error);
};

const refusalOf = (error: unknown): JobFailure => {
  const { name = '', message = '' } = error as { name?: string; message?: string };
  const meaning = isTransientAwsError(error) ? undefined : /pending deletion/i.test(message) ? pendingDeletion : meanings[name];
  if (meaning === undefined) throw error;
  return keyUnavailable(meaning, error);
};
