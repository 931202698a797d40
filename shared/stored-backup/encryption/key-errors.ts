import { logLines } from '../../contract/runtime/alarm-log-lines.ts';
import { JobFailure } from '../../job/index.ts';
import { isTransientAwsError, log } from '../../platform/index.ts';

export const keyUnavailable = (message: string, cause?: unknown): JobFailure =>
  new JobFailure('KEY_UNAVAILABLE', message, undefined, cause === undefined ? undefined : { cause });

/** Messages for KMS errors that a retry cannot fix. */
const messages: Readonly<Record<string, string>> = {
  DisabledException: 'The KMS key that encrypts the keys of backups is disabled. Enable it again',
  KMSInvalidStateException: 'The KMS key that encrypts the keys of backups cannot be used in its current state',
  NotFoundException: 'The KMS key that encrypts the key of this backup does not exist any more',
  InvalidCiphertextException: 'KMS cannot decrypt the key of this backup: it was encrypted for another backup, or modified',
  IncorrectKeyException: 'The key of this backup was encrypted with another KMS key',
  AccessDeniedException: 'The service may not use the KMS key that encrypts the key of this backup',
};

/** The only state that can be reverted for a few days. */
const pendingDeletion = 'The KMS key that encrypts the keys of backups is pending deletion. Cancel the deletion';

/** Turns a refusal of KMS into KEY_UNAVAILABLE and raises an alarm. Transient errors are rethrown, to be retried. */
export const throwKmsFailure = (error: unknown): never => {
  const refusal = refusalOf(error);
  log.error(logLines.keyRefused, { reason: (error as Error).name });
  throw refusal;
};

/** The same for a key file that was found in a bucket, without an alarm. */
export const throwForeignKmsFailure = (error: unknown): never => {
  throw refusalOf(error);
};

const refusalOf = (error: unknown): JobFailure => {
  const { name = '', message = '' } = error as { name?: string; message?: string };
  const text = isTransientAwsError(error) ? undefined : /pending deletion/i.test(message) ? pendingDeletion : messages[name];
  if (text === undefined) throw error;
  return keyUnavailable(text, error);
};
