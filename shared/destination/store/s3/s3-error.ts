/** Puts what a call of S3 failed with into the words of a store: a code of ours, no text of theirs but the error's name. */
import { S3ServiceException } from '@aws-sdk/client-s3';
import { BlockedAddress } from '../../../platform/http/address-guard.ts';
import { StorageError } from '../object-store.ts';

interface Failure {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number | undefined };
}

/** Whether the store refused a call under one of these names. */
export const isS3Error = (error: unknown, ...names: readonly string[]): boolean =>
  error instanceof S3ServiceException && names.includes(error.name);

/** The failure of a single object of a call that succeeded. */
export const s3ObjectError = (code: string | undefined, doing: string): StorageError =>
  s3Error({ name: code, $metadata: { httpStatusCode: 409 } }, doing);

export const s3Error = (error: unknown, doing: string): StorageError => {
  if (error instanceof StorageError) return error;
  const { name, code, cause: origin, $metadata } = (typeof error === 'object' && error !== null ? error : {}) as Failure;
  if (error instanceof BlockedAddress || origin instanceof BlockedAddress || code === 'EBLOCKED')
    return new StorageError('invalid', 'The endpoint is not a public address.');
  const status = $metadata?.httpStatusCode;
  const word = typeof name === 'string' && /^[\w.]{1,60}$/.test(name) ? name : 'Unknown';
  const said = `${status === undefined ? '' : `${status} `}${word}`;
  // What was thrown may hold more than a customer should read: none of that goes along.
  const cause = Object.assign(new Error(said), typeof code === 'string' ? { code } : {});
  const failure = (...[kind, message, bucket]: [StorageError['code'], string, boolean?]): StorageError =>
    new StorageError(kind, message, { cause, ...(bucket && { bucket }) });

  // A store may answer 200 before it knows of an error: the SDK then says 503. All else that succeeds was not understood.
  if (status !== undefined && status < 300) return failure('invalid', 'The answer of the store is not one of S3.');
  // Found before anything is sent, and only where the caller's own credentials are to be used.
  if (word === 'CredentialsProviderError') return failure('denied', 'There are no credentials for the store.');
  if (word === 'NoSuchBucket') return failure('missing', 'There is no such bucket.', true);
  if (word === 'NoSuchKey' || word === 'NotFound' || (status === 404 && word !== 'NoSuchUpload'))
    return failure('missing', 'There is no such object.');
  if (elsewhere.has(word) || status === 301) return failure('invalid', 'The bucket is in another region.');
  // Bytes that changed on their way, and clocks that differ, are put right by sending again.
  if (passing.has(word)) return failure('unavailable', `The store could not ${doing} (${said}).`);
  if (status === 401 || status === 403 || refusals.has(word))
    return failure('denied', `The store refused to ${doing} (${said}).`);
  if (status === undefined || status >= 500 || status === 429 || status === 408) {
    const why = status === undefined && typeof code === 'string' && /^E\w{1,30}$/.test(code) ? code : said;
    return failure('unavailable', `The store did not ${doing} (${why}).`);
  }
  return failure('invalid', `The store would not ${doing} (${said}).`);
};

const elsewhere = new Set(['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException']);
const passing = new Set([
  'BadDigest',
  'IncompleteBody',
  'InternalError',
  'KMS.ThrottlingException', // the key of the bucket, with 400
  'OperationAborted',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'ServiceUnavailable',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'XAmzContentChecksumMismatch',
  'XAmzContentSHA256Mismatch',
]);
const refusals = new Set(['AccessDenied', 'ExpiredToken', 'InvalidAccessKeyId', 'InvalidToken', 'SignatureDoesNotMatch']);
