import { type ReadRequest, rangeHeader, tooShort } from '../byte-range.ts';
import { StorageError } from '../object-store.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { isHiddenByMarker } from './s3-error.ts';
import { GetObjectCommand } from './s3-library.ts';
import { findLockedVersion, isLockedNow } from './s3-object-lock.ts';

interface FoundVersion {
  readonly bytes: Uint8Array;
  readonly version: string | undefined;
  readonly lockedUntil: Date | undefined;
}

/** Names whose locked version is remembered. */
const namesMax = 10_000;

interface ReadObject {
  readonly name: string;
  /** The one that was stored, if it is known. */
  readonly version?: string | undefined;
}

/**
 * Reads objects of a bucket. A locked object cannot be deleted or changed, only hidden: by a delete marker, or by a newer version.
 * Then its locked version is read. A newer version that is locked, too, replaces it, as a rewrapped key does, unless the caller
 * knows the version by its content.
 */
export class S3ObjectReader {
  readonly #bucket: S3Bucket;
  /** By name: the locked version below the newest, if any. Reads of many ranges search for it once. */
  readonly #locked = new Map<string, string | undefined>();

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket;
  }

  async read({ name, version }: ReadObject, request: ReadRequest, signal?: AbortSignal): Promise<Uint8Array> {
    if (version !== undefined) return bytesOr(await this.#version({ name, version }, request, signal));
    const newest = await this.#newest(name, request, signal);
    const found = newest instanceof StorageError ? undefined : newest;
    if (found && (!this.#hasLocks || isLockedNow(found.lockedUntil))) return found.bytes;
    const locked = await this.#lockedVersion(name, found?.version, signal);
    return bytesOr(locked === undefined ? newest : await this.#version({ name, version: locked }, request, signal));
  }

  get #hasLocks(): boolean {
    return this.#bucket.options.lockMode !== undefined;
  }

  /** The newest version, or why it cannot be the object: it is a delete marker, or its size differs. */
  async #newest(name: string, request: ReadRequest, signal: AbortSignal | undefined): Promise<FoundVersion | StorageError> {
    try {
      return await this.#version({ name }, request, signal);
    } catch (error) {
      if (this.#hasLocks && error instanceof StorageError && error.code === 'invalid') return error;
      throw error;
    }
  }

  #version(
    { name, version: VersionId }: ReadObject,
    { range, maxBytes }: ReadRequest,
    signal: AbortSignal | undefined,
  ): Promise<FoundVersion | StorageError> {
    const object = { Bucket: this.#bucket.options.bucket, Key: this.#bucket.key(name), VersionId };
    return this.#bucket.call({
      doing: 'read an object',
      signal,
      maxBytes,
      send: async (client, options) => {
        try {
          const command = new GetObjectCommand({ ...object, ...(range && { Range: rangeHeader(range) }) });
          const { Body, VersionId: version, ObjectLockRetainUntilDate: lockedUntil } = await client.send(command, options);
          const bytes = await bytesOf(Body as AsyncIterable<Uint8Array> | undefined);
          if (range && bytes.length !== range.length) throw tooShort();
          return { bytes, version, lockedUntil };
        } catch (error) {
          if (isHiddenByMarker(error)) return new StorageError('missing', 'The object does not exist.');
          throw error;
        }
      },
    });
  }

  async #lockedVersion(name: string, newest: string | undefined, signal: AbortSignal | undefined): Promise<string | undefined> {
    if (this.#locked.has(name)) return this.#locked.get(name);
    const found = await findLockedVersion(this.#bucket, { name, newest, signal });
    if (this.#locked.size >= namesMax) this.#locked.clear();
    this.#locked.set(name, found?.VersionId);
    return found?.VersionId;
  }
}

const bytesOr = (found: FoundVersion | StorageError): Uint8Array => {
  if (found instanceof StorageError) throw found;
  return found.bytes;
};

/** The request handler returns a body in one piece. */
const bytesOf = async (body: AsyncIterable<Uint8Array> | undefined): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = [];
  // Array.fromAsync is not in Node 20, where the single file of the command line runs.
  for await (const piece of body ?? []) pieces.push(piece);
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
};
