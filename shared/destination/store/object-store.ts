import type { StorageFailureKind } from '../../contract/models/storage-destination.ts';

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
  /** Undefined if the object does not exist. A locked object that is hidden exists: its locked version is reported. */
  head(name: string, signal?: AbortSignal): Promise<ObjectState | undefined>;
  /**
   * Extends the lock of the version that `head` reported to at least `until`, and returns the end of the lock that the store reports
   * afterwards; undefined if it reports none. Never shortens a lock. Throws `denied` or `invalid` if the store refuses.
   */
  extendLock(name: string, state: ObjectState, extension: LockExtension): Promise<Date | undefined>;
  /** Objects whose names begin with the prefix, in any order. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<{ readonly name: string; readonly size: number }>;
  /** Deletes objects. A missing object is no error. */
  remove(names: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Aborts unfinished uploads below the prefix and returns their number. */
  abortUnfinishedUploads(prefix: string, signal?: AbortSignal): Promise<number>;
  /** Bucket settings that cost money or leave data behind, in sentences for the customer. */
  warnings?(signal: AbortSignal): Promise<readonly string[]>;
  /** Replaced and deleted versions of objects, if they are to be read. */
  readonly versions?: FolderVersions | undefined;
  /** The same folder over connections of its own. The caller closes it. */
  renew?(): Promise<ObjectStore>;
  close(): void;
}

/** The versions that a bucket keeps of one folder. */
export interface FolderVersions {
  /** Objects that have several versions or a delete marker. Listed once. Undefined if the folder has too many versions to list them. */
  overwritten(): Promise<ReadonlySet<string> | undefined>;
  /** Objects below the prefix whose newest version is a delete marker. Lists every version, however many there are. */
  deleted(prefix: string): AsyncIterable<string>;
  /** Searches the version with the expected content, which is read from then on. False if there is none but the newest. */
  select(object: ExpectedObject, signal?: AbortSignal): Promise<boolean>;
  /** The newest version is read again, and the next `select` searches again. */
  forget(name: string): void;
}

/** What is known of the content of an object. */
export interface ExpectedObject {
  readonly name: string;
  /** Versions of another size are not read. */
  readonly size?: number;
  /** Larger versions are not read. */
  readonly maxBytes?: number;
  readonly matches: (bytes: AsyncIterable<Uint8Array>) => Promise<boolean>;
}

/** An object as the store reports it. */
export interface ObjectState {
  readonly size: number;
  /** Every checksum of its content that the store reports, as `kind:value`. None if an ETag is no digest, as with KMS. */
  readonly checksums?: readonly string[] | undefined;
  /** The version of a versioned bucket. */
  readonly version?: string | undefined;
  /** Until when the store refuses to delete this version; undefined if it has no lock, or the store does not say. */
  readonly lockedUntil?: Date | undefined;
  /** The lock is in compliance mode, which nothing weakens. */
  readonly isCompliance?: boolean;
  /** A delete marker or a newer version hides the object; this is the version that was stored. */
  readonly isHidden?: boolean;
}

/** Stores may keep the end of a lock in whole seconds: a lock never ends earlier than was asked for. */
export const wholeSecond = (until: Date): Date => new Date(Math.ceil(until.getTime() / 1_000) * 1_000);

export interface LockExtension {
  readonly until: Date;
  readonly signal?: AbortSignal | undefined;
}

export interface UploadedObject {
  readonly size: number;
  /** Computed from the bytes that were sent, of a kind that this store usually reports. */
  readonly checksum?: string | undefined;
}

/** Whether the store reports the checksum of the bytes that were sent; undefined if it reports none of that kind. */
export const hasChecksum = ({ checksums = [] }: ObjectState, checksum: string | undefined): boolean | undefined => {
  const kind = checksum?.slice(0, checksum.indexOf(':') + 1) ?? '';
  const reported = kind === '' ? [] : checksums.filter((one) => one.startsWith(kind));
  return reported.length === 0 ? undefined : reported.includes(checksum ?? '');
};

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
  finish(): Promise<UploadedObject>;
  /** Leaves nothing behind. Idempotent, and safe after a failure. */
  abort(): Promise<void>;
}

/** The API and events report it as `kind`. */
export type StorageErrorCode = StorageFailureKind;

interface StorageErrorOptions extends ErrorOptions {
  readonly bucket?: boolean;
  readonly mismatch?: Mismatch | undefined;
}

/** Checksums as `kind:value`; `actual` is undefined if the store only says that it received other bytes. */
export interface Mismatch {
  readonly object: string;
  readonly expected: string;
  readonly actual: string | undefined;
}

/**
 * The only error a store throws, apart from the reason of an aborted signal. Its message is for the customer: it contains no secret,
 * header or signature.
 */
export class StorageError extends Error {
  readonly code: StorageErrorCode;
  /** Whether the bucket, not the object, is missing. */
  readonly bucket: boolean;
  /** The object whose checksum is not that of the bytes sent. */
  readonly mismatch: Mismatch | undefined;

  constructor(code: StorageErrorCode, message: string, options: StorageErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StorageError';
    this.code = code;
    this.bucket = options.bucket ?? false;
    this.mismatch = options.mismatch;
  }

  /** Whether a retry may succeed. */
  get isTransient(): boolean {
    return this.code === 'unavailable';
  }
}

/** The store has other bytes than were sent. Once, the transfer may be at fault; a store that keeps doing so is defective. */
export const checksumMismatch = (mismatch: Mismatch, isLasting = false): StorageError => {
  const { object, expected, actual } = mismatch;
  const found = actual === undefined ? 'another checksum' : actual;
  return new StorageError(
    isLasting ? 'invalid' : 'unavailable',
    `The store has other bytes of ${object} than were sent: ${found} instead of ${expected}.`,
    { mismatch },
  );
};

/** Whether a failed request may have been executed: only a rejection says that it was not. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  !(error instanceof StorageError) || error.isTransient || error.mismatch !== undefined;
