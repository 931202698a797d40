/**
 * Objects below one prefix of a bucket. Every implementation passes test/harness/store/store-suite.ts. A short form of that suite is
 * what "test this destination" runs for the customer.
 */
export interface ObjectStore {
  /** Stores a small object. Resolves only after the store has confirmed the checksum. */
  put(name: string, bytes: Uint8Array, options?: PutOptions): Promise<void>;
  /** Starts an upload of any size. Nothing is visible before `finish`. */
  upload(name: string, options?: PutOptions): Upload;
  /** The object, or exactly `length` bytes of it from `offset`. Throws `missing` if it does not exist, `invalid` if it is too large. */
  get(name: string, extent?: ByteRange, signal?: AbortSignal): Promise<Uint8Array>;
  /** Undefined if the object does not exist. */
  head(name: string, signal?: AbortSignal): Promise<{ readonly size: number } | undefined>;
  /** Objects whose names begin with the prefix, in any order. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<{ readonly name: string; readonly size: number }>;
  /** Deletes objects. A missing object is no error. */
  remove(names: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Aborts unfinished uploads below the prefix and returns their number. */
  abortUnfinishedUploads(prefix: string, signal?: AbortSignal): Promise<number>;
  /** Bucket settings that cost money or leave data behind, in sentences for the customer. */
  warnings?(signal: AbortSignal): Promise<readonly string[]>;
  close(): void;
}

/** Exactly these bytes of an object, or the whole object if it has at most `maxBytes`. */
export type ByteRange = { readonly offset: number; readonly length: number } | { readonly maxBytes: number };

export interface PutOptions {
  /** Until when the store refuses to delete the object, if the destination has object lock. */
  readonly lockedUntil?: Date;
  readonly signal?: AbortSignal;
}

/** An upload in parts. Holds only the parts in transit in memory. */
export interface Upload {
  /** Appends bytes; resolves when more can be accepted. The pieces must not change afterwards. */
  write(pieces: readonly Uint8Array[]): Promise<void>;
  /** Resolves only after the store has confirmed every part and the object is visible with this size. */
  finish(): Promise<{ readonly size: number }>;
  /** Leaves nothing behind. Idempotent, and safe after a failure. */
  abort(): Promise<void>;
}

/**
 * - `denied`: the credentials are unknown or lack a permission
 * - `missing`: the object or (`bucket: true`) the bucket does not exist
 * - `invalid`: the store, its configuration or its response is not as required
 * - `unavailable`: no response, or a transient error, after all retries
 */
export type StorageErrorCode = 'denied' | 'missing' | 'invalid' | 'unavailable';

/**
 * The only error a store throws, apart from the reason of an aborted signal. Its message is for the customer: it contains no secret,
 * header or signature.
 */
export class StorageError extends Error {
  readonly code: StorageErrorCode;
  /** Whether the bucket, not the object, is missing. */
  readonly bucket: boolean;

  constructor(code: StorageErrorCode, message: string, options: ErrorOptions & { readonly bucket?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StorageError';
    this.code = code;
    this.bucket = options.bucket ?? false;
  }

  /** Whether a retry may succeed. */
  get isTransient(): boolean {
    return this.code === 'unavailable';
  }
}

/** Whether a failed request may have been executed: only a rejection says that it was not. */
export const isOutcomeUnknown = (error: unknown): boolean => !(error instanceof StorageError) || error.isTransient;
