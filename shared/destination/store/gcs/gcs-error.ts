import { tooLarge } from '../byte-range.ts';
import { StorageError, type StorageErrorCode } from '../object-store.ts';

/** An answer of Cloud Storage that is an error, with its HTTP status. */
export class GcsError extends StorageError {
  readonly status: number;

  constructor(status: number, code: StorageErrorCode, message: string, options: { readonly bucket?: boolean } = {}) {
    super(code, message, options);
    this.status = status;
  }
}

export const isStatus = (error: unknown, ...statuses: readonly number[]): boolean =>
  error instanceof GcsError && statuses.includes(error.status);

/** Maps an error answer to the codes of a store. `doing` completes "the store did not …". */
export const gcsError = (status: number, body: string, doing: string): GcsError => {
  if (status === 404 && /bucket does not exist/i.test(body.slice(0, 2_000)))
    return new GcsError(status, 'missing', 'There is no such bucket.', { bucket: true });
  if (status === 404 || status === 410) return new GcsError(status, 'missing', 'There is no such object.');
  if (status === 401 || status === 403) return new GcsError(status, 'denied', `The store refused to ${doing} (${status}).`);
  if (status === 412) return new GcsError(status, 'unavailable', 'Another writer changed the object at the same time.');
  if (status === 408 || status === 429 || status >= 500)
    return new GcsError(status, 'unavailable', `The store did not ${doing} (${status}).`);
  return new GcsError(status, 'invalid', `The store would not ${doing} (${status}).`);
};

/** Maps an error of the library that is no answer: a lost connection, a timeout, an answer above its limit, a bad checksum. */
export const toStorageError = (error: unknown): StorageError => {
  if (error instanceof StorageError) return error;
  const chain = causesOf(error);
  const inner = chain.find((each) => each instanceof StorageError);
  if (inner) return inner;
  if (chain.some(({ type, message }) => type === 'max-size' || message.includes('is over the limit'))) return tooLarge();
  if (chain.some(({ code }) => code === 'CONTENT_DOWNLOAD_MISMATCH'))
    return new StorageError('unavailable', 'The object was damaged on its way.');
  // Errors of the library carry the request with its headers, so only the innermost one is kept.
  return new StorageError('unavailable', `The store did not answer (${reasonOf(chain)}).`, { cause: chain.at(-1) });
};

type Failed = Error & { readonly code?: unknown; readonly type?: unknown };

const causesOf = (error: unknown): readonly Failed[] =>
  error instanceof Error ? [error as Failed, ...causesOf(error.cause)] : [];

const reasonOf = (chain: readonly Failed[]): string => {
  if (chain.some(({ name, code }) => name === 'TimeoutError' || code === 'TimeoutError')) return 'no answer in time';
  const code = chain.map((each) => each.code).findLast((each) => typeof each === 'string' && /^E[A-Z_]{1,40}$/.test(each));
  return typeof code === 'string' ? code : 'connection lost';
};
