import { createHash } from 'node:crypto';
import type { Bucket, File } from '@google-cloud/storage';
import { Crc32c } from '../../../platform/crc32c.ts';
import { checksumMismatch, type LockExtension, type ObjectState, StorageError, wholeSecond } from '../object-store.ts';
import { retryTransient, type StoreRetryPolicy } from '../retry-transient.ts';
import { GcsError, isStatus, toStorageError } from './gcs-error.ts';
import { GcsStorage } from './gcs-storage.ts';
import { type GcsCall, type GcsRequest, GcsTransport, type TokenRequest } from './gcs-transport.ts';

interface GcsClientOptions {
  readonly baseUrl: string;
  readonly requestToken: TokenRequest;
  readonly bucket: string;
  readonly retryPolicy: StoreRetryPolicy;
  readonly lockMode?: GcsLockMode | undefined;
}

/** Google's words for governance and compliance. */
export type GcsLockMode = 'Unlocked' | 'Locked';

/** The metadata of an object. */
export interface GcsObject {
  readonly size: number;
  readonly crc32c: string;
  readonly md5Hash: string | undefined;
  readonly generation: string;
  /** The upload that created the object, if it was one of ours. */
  readonly uploadId: string | undefined;
  readonly lockedUntil: Date | undefined;
  readonly lockMode: GcsLockMode | undefined;
}

interface GcsWrite {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly uploadId?: string;
  readonly lockedUntil?: Date | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const contentType = 'application/octet-stream';
const maxConflicts = 3;

/** One bucket, through `@google-cloud/storage`. Every method retries and throws only StorageErrors. */
export class GcsClient {
  readonly retryPolicy: StoreRetryPolicy;
  readonly #transport: GcsTransport;
  readonly #storage: GcsStorage;
  readonly #bucket: string;
  readonly #lockMode: GcsLockMode | undefined;

  constructor({ baseUrl, requestToken, bucket, retryPolicy, lockMode }: GcsClientOptions) {
    this.retryPolicy = retryPolicy;
    this.#transport = new GcsTransport({ baseUrl, requestToken, requestMs: retryPolicy.requestMs });
    this.#storage = new GcsStorage(this.#transport, baseUrl);
    this.#bucket = bucket;
    this.#lockMode = lockMode;
  }

  /** A handle for one call. The library passes options that an interceptor adds to the transport. */
  bucket(call: GcsCall): Bucket {
    const bucket = this.#storage.bucket(this.#bucket);
    bucket.interceptors.push(withCall(call));
    return bucket;
  }

  /** The retention of a new object, as metadata; empty without a lock. */
  retention(lockedUntil: Date | undefined, mode = this.#lockMode) {
    return mode && lockedUntil ? { retention: { mode, retainUntilTime: wholeSecond(lockedUntil).toISOString() } } : {};
  }

  /** Extends the retention of this generation. The response is the object as the store keeps it. */
  async extendLock(
    key: string,
    { version, lockedUntil, isCompliance }: ObjectState,
    { until, signal }: LockExtension,
  ): Promise<Date | undefined> {
    if (lockedUntil !== undefined && lockedUntil >= until) return lockedUntil;
    if (this.#lockMode === undefined) throw new StorageError('invalid', 'The storage destination has no object lock.');
    // Changing the mode of an unlocked retention needs one more permission, so an object keeps the mode it has.
    const kept = lockedUntil === undefined ? this.#lockMode : isCompliance ? 'Locked' : 'Unlocked';
    return this.attempt(async () => {
      const file = this.file(key, { doing: 'extend the lock of an object', signal }, version);
      const [metadata] = await file.setMetadata(this.retention(until, kept));
      return objectOf(metadata).lockedUntil;
    }, signal);
  }

  file(key: string, call: GcsCall, generation?: string): File {
    const file = this.#storage.bucket(this.#bucket).file(key, generation === undefined ? {} : { generation });
    file.interceptors.push(withCall(call));
    return file;
  }

  /** For requests without a method in the library: the parts of an upload and its cancellation. */
  request(options: GcsRequest) {
    return this.#transport.request<Readonly<Record<string, unknown>>>(options);
  }

  /** Retries `work`, with errors of the library as StorageErrors. */
  attempt<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return retryTransient(
      () =>
        work().catch((error: unknown) => {
          throw toStorageError(error);
        }),
      this.retryPolicy,
      signal,
    );
  }

  /** Undefined if the object does not exist. */
  find(key: string, signal?: AbortSignal, generation?: string): Promise<GcsObject | undefined> {
    return this.attempt(() => this.findOnce(key, signal, generation), signal);
  }

  /**
   * Stores or replaces a small object. Each attempt names the generation it replaces, so that a repeated request cannot overwrite a
   * later one. Cloud Storage rejects bytes with a different checksum.
   */
  async put({ key, bytes, uploadId, lockedUntil, signal }: GcsWrite): Promise<void> {
    const crc32c = new Crc32c().update(bytes).toString();
    const md5Hash = createHash('md5').update(bytes).digest('base64');
    const isSame = (object: GcsObject): boolean =>
      object.size === bytes.length && object.crc32c === crc32c && object.md5Hash === md5Hash;
    const mismatchOf = (stored: GcsObject | undefined): StorageError =>
      checksumMismatch({ object: key, expected: `crc32c:${crc32c}`, actual: stored && `crc32c:${stored.crc32c}` });
    let generation = '0';
    const write = async (): Promise<void> => {
      const file = this.file(key, { doing: 'store an object', signal });
      await file.save(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
        resumable: false,
        // Checked below: on a mismatch the library would delete the object, even that of another writer.
        validation: false,
        contentType,
        metadata: { crc32c, md5Hash, ...this.retention(lockedUntil), ...(uploadId !== undefined && { metadata: { uploadId } }) },
        preconditionOpts: { ifGenerationMatch: generation },
      });
      const stored = objectOf(file.metadata);
      if (!isSame(stored)) throw mismatchOf(stored);
    };
    await this.attempt(async () => {
      for (let conflicts = 0; ; conflicts++) {
        try {
          return await write();
        } catch (error) {
          if (error instanceof GcsError && error.isOtherChecksum) throw mismatchOf(undefined);
          if (!isStatus(error, 412) || conflicts >= maxConflicts) throw error;
        }
        const found = await this.findOnce(key, signal);
        // The same bytes are stored, most likely by an earlier attempt whose response was lost.
        if (found && isSame(found) && (uploadId === undefined || found.uploadId === uploadId)) return;
        generation = found?.generation ?? '0';
      }
    }, signal);
  }

  /** Deletes an object, or only this generation of it. A missing object is no error. */
  async remove(key: string, options: { readonly generation?: string; readonly signal?: AbortSignal | undefined } = {}) {
    const { generation, signal } = options;
    const condition = generation === undefined ? {} : { ifGenerationMatch: generation };
    const ended = generation === undefined ? [404] : [404, 412];
    await this.attempt(async () => {
      try {
        await this.file(key, { doing: 'delete an object', signal }).delete(condition);
      } catch (error) {
        if (!isStatus(error, ...ended) || (error as StorageError).bucket) throw error;
      }
    }, signal);
  }

  close(): void {
    this.#transport.close();
  }

  /** The same without a retry, for work that is retried as a whole. */
  async findOnce(key: string, signal: AbortSignal | undefined, generation?: string): Promise<GcsObject | undefined> {
    try {
      const file = this.file(key, { doing: 'read the metadata of an object', signal }, generation);
      const [metadata] = await file.getMetadata({ fields: 'size,crc32c,md5Hash,generation,metadata,retention' });
      return objectOf(metadata);
    } catch (error) {
      if (isStatus(error, 404) && !(error as StorageError).bucket) return undefined;
      throw error;
    }
  }
}

type Interceptor = File['interceptors'][number];

const withCall = (call: GcsCall): Interceptor => ({
  request: (options) => Object.assign(options, { call }) as ReturnType<Interceptor['request']>,
});

/** Cloud Storage returns numbers as text. */
export const objectOf = (metadata: object): GcsObject => {
  const { size, crc32c, md5Hash, generation, metadata: custom, retention } = metadata as Readonly<Record<string, unknown>>;
  const { mode, retainUntilTime: until } = (retention ?? {}) as {
    readonly mode?: GcsLockMode;
    readonly retainUntilTime?: string;
  };
  const uploadId = (custom as Readonly<Record<string, unknown>> | undefined)?.uploadId;
  return {
    size: size === undefined ? Number.NaN : Number(size),
    crc32c: String(crc32c),
    md5Hash: md5Hash === undefined ? undefined : String(md5Hash),
    generation: String(generation),
    uploadId: uploadId === undefined ? undefined : String(uploadId),
    lockedUntil: until === undefined ? undefined : new Date(until),
    lockMode: mode,
  };
};
