/** Translates errors of S3 calls to StorageErrors. Of the store's own text only the error name is kept. */
import { BlockedAddress } from '../../../platform/http/address-guard.ts';
import { StorageError } from '../object-store.ts';
import { S3ServiceException } from './s3-library.ts';

interface Failure {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number | undefined };
}

/** Whether the store rejected a call with one of these error names. */
export const isS3Error = (error: unknown, ...names: readonly string[]): boolean =>
  error instanceof S3ServiceException && names.includes(error.name);

/** Whether the store says that a delete marker hides the object. */
export const isHiddenByMarker = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.$response?.headers['x-amz-delete-marker'] === 'true';

/** The error of a single object within a call that succeeded. */
export const s3ObjectError = (code: string | undefined, doing: string): StorageError =>
  s3Error({ name: code, $metadata: { httpStatusCode: 409 } }, doing);

export const s3Error = (error: unknown, doing: string): StorageError => {
  if (error instanceof StorageError) return error;
  const { name, code, cause: inner, $metadata } = (typeof error === 'object' && error !== null ? error : {}) as Failure;
  if (error instanceof BlockedAddress || inner instanceof BlockedAddress || code === 'EBLOCKED')
    return new StorageError('invalid', 'The endpoint is not a public address.');
  const status = $metadata?.httpStatusCode;
  const errorName = typeof name === 'string' && /^[\w.]{1,60}$/.test(name) ? name : 'Unknown';
  const summary = `${status === undefined ? '' : `${status} `}${errorName}`;
  // The original error may contain more than a customer should read, so it is not kept.
  const cause = Object.assign(new Error(summary), typeof code === 'string' ? { code } : {});
  const failure = (...[kind, message, bucket]: [StorageError['code'], string, boolean?]): StorageError =>
    new StorageError(kind, message, { cause, ...(bucket && { bucket }) });

  // A store may respond 200 before it detects an error; the SDK reports that as 503. Other 2xx responses are malformed.
  if (status !== undefined && status < 300) return failure('invalid', 'The store did not return a valid S3 response.');
  // Only with the caller's own credentials, before a request is sent.
  if (errorName === 'CredentialsProviderError') return failure('denied', 'No credentials were found for the store.');
  if (errorName === 'NoSuchBucket') return failure('missing', 'The bucket does not exist.', true);
  if (errorName === 'NoSuchKey' || errorName === 'NotFound' || (status === 404 && errorName !== 'NoSuchUpload'))
    return failure('missing', 'The object does not exist.');
  if (otherRegionErrors.has(errorName) || status === 301) return failure('invalid', 'The bucket is in another region.');
  // Bytes damaged in transit and clock skew are corrected by a retry.
  if (transientErrors.has(errorName)) return failure('unavailable', `The store could not ${doing} (${summary}).`);
  if (status === 401 || status === 403 || deniedErrors.has(errorName))
    return failure('denied', `The store refused to ${doing} (${summary}).`);
  // An S3-compatible store without the feature; a retry would not help.
  if (status === 501) return failure('invalid', `The store does not support to ${doing} (${summary}).`);
  if (status === undefined || status >= 500 || status === 429 || status === 408) {
    const reason = status === undefined && typeof code === 'string' && /^E\w{1,30}$/.test(code) ? code : summary;
    return failure('unavailable', `The store did not ${doing} (${reason}).`);
  }
  return failure('invalid', `The store rejected the request to ${doing} (${summary}).`);
};

const otherRegionErrors = new Set(['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException']);
const transientErrors = new Set([
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
const deniedErrors = new Set(['AccessDenied', 'ExpiredToken', 'InvalidAccessKeyId', 'InvalidToken', 'SignatureDoesNotMatch']);

/** The store received other bytes than were sent, and rejected them. */
export const isRejectedDigest = (error: unknown): boolean =>
  isS3Error(error, 'BadDigest', 'XAmzContentChecksumMismatch', 'XAmzContentSHA256Mismatch');
