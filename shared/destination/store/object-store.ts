/**
 * A place for a backup's objects: one bucket below one prefix, of whatever make. test/harness/store/store-suite.ts is the law that every
 * implementation keeps, and a trimmed form of it is what "test this destination" runs for the customer.
 */
export interface ObjectStore {
  /** Stores a small object whole. Resolves only when the store has confirmed the very bytes. */
  put(name: string, bytes: Uint8Array, options?: PutOptions): Promise<void>;
  /** Begins an object of any size; nothing is visible before `finish`. */
  upload(name: string, options?: PutOptions): Upload;
  /** The object, or exactly `length` bytes of it from `offset`. Throws `missing` where there is none, `invalid` where it is too large. */
  get(name: string, extent?: ByteRange, signal?: AbortSignal): Promise<Uint8Array>;
  /** Undefined where there is none. */
  head(name: string, signal?: AbortSignal): Promise<{ readonly size: number } | undefined>;
  /** Objects whose names begin with the prefix, in any order. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<{ readonly name: string; readonly size: number }>;
  /** Removing what is not there is no error. */
  remove(names: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Ends uploads below the prefix that were begun and never finished; answers how many. */
  abortUnfinishedUploads(prefix: string, signal?: AbortSignal): Promise<number>;
  /** Settings of the bucket that cost money or leave data behind, in sentences for the customer. */
  warnings?(signal: AbortSignal): Promise<readonly string[]>;
  close(): void;
}

/** Exactly these bytes of an object; or all of it, as long as it has no more than `maxBytes`. */
export type ByteRange = { readonly offset: number; readonly length: number } | { readonly maxBytes: number };

export interface PutOptions {
  /** Until when the store itself refuses to remove the object, where the destination has object lock. */
  readonly lockedUntil?: Date;
  readonly signal?: AbortSignal;
}

/** An object being stored part by part, in order; memory is that of the parts under way. */
export interface Upload {
  /** Takes the next bytes. Pieces gather to parts; resolves when there is room for more. The pieces must not change afterwards. */
  write(pieces: readonly Uint8Array[]): Promise<void>;
  /** Resolves only when the whole object is visible with this very size and the store confirmed every part. */
  finish(): Promise<{ readonly size: number }>;
  /** Leaves nothing behind. Safe after a failure, and twice. */
  abort(): Promise<void>;
}

/**
 * - `denied`: the credentials do not allow it, or are not known there
 * - `missing`: there is no such object, or (`bucket: true`) no such bucket
 * - `invalid`: the store or an answer of it is not what it should be
 * - `unavailable`: no answer, or one that says to come again; tried again already
 */
export type StorageErrorCode = 'denied' | 'missing' | 'invalid' | 'unavailable';

/**
 * The one error that leaves a store, beside the reason of a signal that was aborted. Its message is fit for the customer: no
 * secret, no header, no signature.
 */
export class StorageError extends Error {
  readonly code: StorageErrorCode;
  /** Whether it is the bucket that is missing. */
  readonly bucket: boolean;

  constructor(code: StorageErrorCode, message: string, options: ErrorOptions & { readonly bucket?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StorageError';
    this.code = code;
    this.bucket = options.bucket ?? false;
  }

  /** Whether the same may succeed later. */
  get isTransient(): boolean {
    return this.code === 'unavailable';
  }
}

/** Whether what failed may have been done all the same: only a refusal says that it was not. */
export const isOutcomeUnknown = (error: unknown): boolean => !(error instanceof StorageError) || error.isTransient;
