import { toReadRequest } from '../byte-range.ts';
import {
  type ByteRange,
  type LockExtension,
  type ObjectState,
  type ObjectStore,
  type PutOptions,
  StorageError,
  type Upload,
} from '../object-store.ts';
import { ObjectVersions } from '../object-versions.ts';
import { PageGuard } from '../page-guard.ts';
import { removeEach } from '../remove-each.ts';
import { abortUploads } from './abort-uploads.ts';
import { digestFields, digestOf, reportedChecksums, sendConfirmed } from './checksum.ts';
import { listS3Versions, versionsMax } from './list-s3-versions.ts';
import { type ObjectHead, objectHead, objectInfo, S3Bucket, type S3StoreOptions } from './s3-bucket.ts';
import { s3ObjectError } from './s3-error.ts';
import { DeleteObjectCommand, DeleteObjectsCommand, ListObjectsV2Command, PutObjectCommand } from './s3-library.ts';
import { extendS3Lock, findLockedVersion, isLockedNow } from './s3-object-lock.ts';
import { S3ObjectReader } from './s3-object-reader.ts';
import { S3Upload } from './s3-upload.ts';
import { s3Warnings } from './s3-warnings.ts';

/** DeleteObjects accepts at most this many objects. */
const maxDeletedObjects = 1_000;

/** A folder of a bucket of AWS or of an S3-compatible store. */
export class S3Store implements ObjectStore {
  readonly bucket: S3Bucket;
  readonly versions: ObjectVersions | undefined;
  readonly #reader: S3ObjectReader;

  constructor(options: S3StoreOptions) {
    const bucket = new S3Bucket(options);
    const reader = new S3ObjectReader(bucket);
    this.bucket = bucket;
    this.#reader = reader;
    if (options.readsVersions ?? options.lockMode !== undefined)
      this.versions = new ObjectVersions({
        versionsMax,
        listVersions: (prefix, signal) => listS3Versions(bucket, prefix, signal),
        readVersion: (object, range, signal) => reader.read(object, toReadRequest(range), signal),
      });
  }

  async put(name: string, bytes: Uint8Array, options: PutOptions = {}): Promise<void> {
    this.versions?.forget(name);
    const { bucket, digest: kind } = this.bucket.options;
    const digest = digestOf(kind, bytes);
    const input = {
      Bucket: bucket,
      Key: this.bucket.key(name),
      Body: bytes,
      ContentType: 'application/octet-stream',
      ...digestFields(digest),
      ...this.bucket.objectSettings(options),
    };
    const stored = await this.bucket.call({
      doing: 'store an object',
      signal: options.signal,
      send: async (client, sendOptions) =>
        objectInfo(
          await sendConfirmed(name, digest, {
            send: () => client.send(new PutObjectCommand(input), sendOptions),
            infoOf: objectInfo,
          }),
        ),
    });
    try {
      this.bucket.checkEncryption(stored);
    } catch (error) {
      // Stored, but not encrypted as required.
      await this.remove([name], options.signal).catch(() => {});
      throw error;
    }
  }

  upload(name: string, options: PutOptions = {}): Upload {
    this.versions?.forget(name);
    return new S3Upload(this, name, options);
  }

  async get(name: string, extent?: ByteRange, signal?: AbortSignal): Promise<Uint8Array> {
    const request = toReadRequest(extent);
    if (request.range?.length === 0 && (await this.head(name, signal))) return new Uint8Array();
    return this.#reader.read({ name, version: this.versions?.selected(name)?.version }, request, signal);
  }

  async head(name: string, signal?: AbortSignal): Promise<ObjectState | undefined> {
    const selected = this.versions?.selected(name);
    const found = await this.bucket.head(name, signal, selected?.version);
    if (selected && found && found !== 'hidden') return { ...stateOf(found), ...(selected.isHidden && { isHidden: true }) };
    const newest = found === 'hidden' ? undefined : found && stateOf(found);
    const mayHide = found === 'hidden' || (newest && this.bucket.options.lockMode && !isLockedNow(newest.lockedUntil));
    const locked = mayHide ? await findLockedVersion(this.bucket, { name, newest: newest?.version, signal }) : undefined;
    return locked ? { ...stateOf(objectHead(locked)), isHidden: true } : newest;
  }

  extendLock(name: string, state: ObjectState, extension: LockExtension): Promise<Date | undefined> {
    return extendS3Lock(this.bucket, { name, state, ...extension });
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ name: string; size: number }> {
    const pageGuard = new PageGuard();
    const folder = this.bucket.key('');
    let token: string | undefined;
    do {
      const input = {
        Bucket: this.bucket.options.bucket,
        Prefix: this.bucket.key(prefix) || undefined,
        ContinuationToken: token,
      };
      const page = await this.bucket.call({
        doing: 'list objects',
        signal,
        send: async (client, options) => {
          const response = await client.send(new ListObjectsV2Command(input), options);
          // Any other document would look like an empty list.
          if (response.IsTruncated === undefined && response.Name === undefined && !response.Contents)
            throw new StorageError('unavailable', 'The store did not return a list of objects.');
          return response;
        },
      });
      const found = page.Contents ?? [];
      for (const { Key = '', Size = 0 } of found) yield { name: Key.slice(folder.length), size: Size };
      token = page.IsTruncated ? pageGuard.next(page.NextContinuationToken, found.length) : undefined;
    } while (token !== undefined);
  }

  async remove(names: readonly string[], signal?: AbortSignal): Promise<void> {
    // Not every S3-compatible store supports DeleteObjects.
    if (this.bucket.options.digest === 'md5' || names.length === 1) {
      await removeEach(names, (name) => this.#removeOne(name, signal));
      return;
    }
    for (let from = 0; from < names.length; from += maxDeletedObjects)
      await this.#removeMany(names.slice(from, from + maxDeletedObjects), signal);
  }

  abortUnfinishedUploads(prefix: string, signal?: AbortSignal): Promise<number> {
    return abortUploads(this.bucket, prefix, { signal });
  }

  warnings(signal: AbortSignal): Promise<readonly string[]> {
    return s3Warnings(this, signal);
  }

  close(): void {
    this.bucket.close();
  }

  #removeOne(name: string, signal: AbortSignal | undefined): Promise<unknown> {
    const input = { Bucket: this.bucket.options.bucket, Key: this.bucket.key(name) };
    return this.bucket.call({
      doing: 'delete an object',
      signal,
      send: (client, options) => client.send(new DeleteObjectCommand(input), options),
    });
  }

  async #removeMany(names: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const Objects = names.map((name) => ({ Key: this.bucket.key(name) }));
    const input = { Bucket: this.bucket.options.bucket, Delete: { Objects } };
    await this.bucket.call({
      doing: 'delete objects',
      signal,
      send: async (client, options) => {
        const { Errors = [], Deleted = [] } = await client.send(new DeleteObjectsCommand(input), options);
        // The call succeeds even if single objects fail.
        const [first] = Errors;
        if (first) throw s3ObjectError(first.Code, 'delete objects');
        if (Deleted.length < names.length)
          throw new StorageError('unavailable', 'The store did not confirm the deletion of all objects.');
      },
    });
  }
}

const stateOf = (found: ObjectHead): ObjectState => ({
  size: found.size,
  checksums: reportedChecksums(found),
  version: found.version,
  lockedUntil: found.lockedUntil,
  isCompliance: found.isCompliance,
});
