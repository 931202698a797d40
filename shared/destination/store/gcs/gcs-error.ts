import { tooLarge } from '../byte-range.ts';
import { StorageError, type StorageErrorCode } from '../object-store.ts';

interface GcsErrorOptions {
  readonly bucket?: boolean;
  readonly isOtherChecksum?: boolean;
}

/** An error response of Cloud Storage, with its HTTP status. */
export class GcsError extends StorageError {
  readonly status: number;
  /** The store received bytes with another checksum than was stated. */
  readonly isOtherChecksum: boolean;

  constructor(status: number, code: StorageErrorCode, message: string, options: GcsErrorOptions = {}) {
    super(code, message, options);
    this.status = status;
    this.isOtherChecksum = options.isOtherChecksum ?? false;
  }
}

export const isStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof GcsError && statuses.includes(error.status);

/** Translates an error response. `doing` completes "The store did not …". */
export const gcsError = (status: number, body: string, doing: string): GcsError => {
  if (status === 404 && /bucket does not exist/i.test(body.slice(0, 2_000)))
    return new GcsError(status, 'missing', 'The bucket does not exist.', { bucket: true });
  if (status === 404 || status === 410) return new GcsError(status, 'missing', 'The object does not exist.');
  if (status === 401 || status === 403) return new GcsError(status, 'denied', `The store refused to ${doing} (${status}).`);
  if (status === 412) return new GcsError(status, 'unavailable', 'The object was changed concurrently.');
  if (status === 408 || status === 429 || status >= 500)
    return new GcsError(status, 'unavailable', `The store did not ${doing} (${status}).`);
  const isOtherChecksum = status === 400 && /crc32c|md5|checksum|hash/i.test(body.slice(0, 2_000));
  return new GcsError(status, 'invalid', `The store rejected the request to ${doing} (${status}).`, { isOtherChecksum });
};

/** Translates an error without a response: a lost connection, a timeout, a response above its limit, a bad checksum. */
export const toStorageError = (error: unknown): StorageError => {
  if (error instanceof StorageError) return error;
  const chain = causesOf(error);
  const inner = chain.find((each) => each instanceof StorageError);
  if (inner) return inner;
  if (chain.some(({ type, message }) => type === 'max-size' || message.includes('is over the limit'))) return tooLarge();
  if (chain.some(({ code }) => code === 'CONTENT_DOWNLOAD_MISMATCH'))
    return new StorageError('unavailable', 'The object was damaged in transit.');
  // Errors of the library contain the request headers, so only the innermost error is kept.
  return new StorageError('unavailable', `The store did not respond (${reasonOf(chain)}).`, { cause: chain.at(-1) });
};

type Failed = Error & { readonly code?: unknown; readonly type?: unknown };

const causesOf = (error: unknown): readonly Failed[] =>
  error instanceof Error ? [error as Failed, ...causesOf(error.cause)] : [];

const reasonOf = (chain: readonly Failed[]): string => {
  if (chain.some(({ name, code }) => name === 'TimeoutError' || code === 'TimeoutError')) return 'timeout';
  const code = chain.map((each) => each.code).findLast((each) => typeof each === 'string' && /^E[A-Z_]{1,40}$/.test(each));
  return typeof code === 'string' ? code : 'connection lost';
};
