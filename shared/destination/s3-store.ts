import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { type Patience, persist } from './attempts.ts';
import { concurrently } from './concurrent.ts';
import { confirms, type DigestKind, digestHeaders, digestOf } from './s3-digest.ts';
import { s3Failure } from './s3-failure.ts';
import { S3Upload } from './s3-upload.ts';
import { type PutOptions, StorageError, type Store, type Upload } from './store.ts';

export interface S3Place {
  readonly client: S3Client;
  readonly bucket: string;
  readonly folder: string;
  readonly digest: DigestKind;
  readonly lockMode?: 'GOVERNANCE' | 'COMPLIANCE' | undefined;
  readonly patience: Patience;
  /** 8 MiB, of which ten thousand make 78 GiB; at least 5 MiB, or the store takes them for the last. */
  readonly partBytes: number;
}

/** S3 removes this many objects in one call. */
const removedAtOnce = 1_000;
const callsAtOnce = 8;

/** A bucket of AWS, or of any store that speaks S3. */
export class S3Store implements Store {
  readonly #place: S3Place;

  constructor(place: S3Place) {
    this.#place = place;
  }

  put(name: string, bytes: Uint8Array, options: PutOptions = {}): Promise<void> {
    const { client, digest: kind } = this.#place;
    const digest = digestOf(kind, bytes);
    const command = () =>
      new PutObjectCommand({
        ...this.#object(name),
        Body: bytes,
        ContentLength: bytes.length,
        ...digestHeaders(digest),
        ...this.lock(options),
      });
    return this.call('store an object', options.signal, async (abortSignal) => {
      const told = await client.send(command(), { abortSignal });
      if (confirms(digest, told) === false)
        throw new StorageError('unavailable', 'The store kept other bytes than it was given.');
    });
  }

  upload(name: string, options: PutOptions = {}): Upload {
    return new S3Upload(this, this.#place, name, options);
  }

  async get(name: string, range?: { offset: number; length: number }, signal?: AbortSignal): Promise<Uint8Array> {
    if (range?.length === 0 && (await this.head(name))) return new Uint8Array();
    const { client } = this.#place;
    const Range = range && `bytes=${range.offset}-${range.offset + range.length - 1}`;
    return this.call('read an object', signal, async (abortSignal) => {
      const answer = await client.send(new GetObjectCommand({ ...this.#object(name), Range }), { abortSignal });
      return read(answer, range?.length);
    });
  }

  async head(name: string): Promise<{ size: number } | undefined> {
    const found = await this.look(name);
    return found && { size: found.ContentLength ?? 0 };
  }

  async *list(prefix: string): AsyncGenerator<{ name: string; size: number }> {
    const { client, bucket: Bucket } = this.#place;
    let ContinuationToken: string | undefined;
    do {
      const page = await this.call('list objects', undefined, (abortSignal) =>
        client.send(new ListObjectsV2Command({ Bucket, Prefix: this.key(prefix), ContinuationToken }), { abortSignal }),
      );
      for (const { Key = '', Size = 0 } of page.Contents ?? []) yield { name: Key.slice(this.key('').length), size: Size };
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (ContinuationToken !== undefined);
  }

  async remove(names: readonly string[]): Promise<void> {
    // Others of the S3 kind ask for an MD5 here that the client no longer sends.
    if (this.#place.digest === 'md5' || names.length === 1)
      return concurrently(names, callsAtOnce, (name) => this.#removeOne(name));
    for (let from = 0; from < names.length; from += removedAtOnce)
      await this.#removeMany(names.slice(from, from + removedAtOnce));
  }

  async abandon(prefix: string): Promise<number> {
    const { client, bucket: Bucket } = this.#place;
    let abandoned = 0;
    let markers: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
    while (markers) {
      const at: { KeyMarker?: string; UploadIdMarker?: string } = markers;
      const page = await this.call('list unfinished uploads', undefined, (abortSignal) =>
        client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: this.key(prefix), ...at }), { abortSignal }),
      );
      const uploads = page.Uploads ?? [];
      await concurrently(uploads, callsAtOnce, ({ Key, UploadId }) => this.abort(Key, UploadId));
      abandoned += uploads.length;
      const { NextKeyMarker, NextUploadIdMarker } = page;
      markers =
        page.IsTruncated && NextKeyMarker !== undefined
          ? { KeyMarker: NextKeyMarker, ...(NextUploadIdMarker !== undefined && { UploadIdMarker: NextUploadIdMarker }) }
          : undefined;
    }
    return abandoned;
  }

  close(): void {
    this.#place.client.destroy();
  }

  key(name: string): string {
    return this.#place.folder === '' ? name : `${this.#place.folder}/${name}`;
  }

  /** What the store tells of an object, its checksum included. */
  look(name: string): Promise<HeadObjectCommandOutput | undefined> {
    const { client } = this.#place;
    return this.call('look at an object', undefined, async (abortSignal) => {
      try {
        return await client.send(new HeadObjectCommand({ ...this.#object(name), ChecksumMode: 'ENABLED' }), { abortSignal });
      } catch (error) {
        if (s3Failure(error, '').code === 'missing') return undefined;
        throw error;
      }
    });
  }

  /** Whether a rule of the bucket ends unfinished uploads; undefined where the store does not tell. */
  async endsUploads(): Promise<boolean | undefined> {
    const { client, bucket: Bucket, patience } = this.#place;
    try {
      const command = new GetBucketLifecycleConfigurationCommand({ Bucket });
      const { Rules = [] } = await client.send(command, { abortSignal: AbortSignal.timeout(patience.requestMs) });
      return Rules.some(({ Status, AbortIncompleteMultipartUpload: rule }) => Status === 'Enabled' && rule !== undefined);
    } catch (error) {
      return (error as Error).name === 'NoSuchLifecycleConfiguration' ? false : undefined;
    }
  }

  /** Ends an upload; one that has ended already is no error. */
  abort(Key: string | undefined, UploadId: string | undefined): Promise<'ended' | 'gone'> {
    const { client, bucket: Bucket } = this.#place;
    return this.call('end an upload', undefined, async (abortSignal) => {
      try {
        await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), { abortSignal });
        return 'ended';
      } catch (error) {
        if ((error as Error).name === 'NoSuchUpload') return 'gone';
        throw error;
      }
    });
  }

  /** One call, as often as it takes, its failure in our words. */
  call<T>(doing: string, signal: AbortSignal | undefined, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const attempt = async (): Promise<T> => {
      const limit = AbortSignal.timeout(this.#place.patience.requestMs);
      try {
        return await send(signal ? AbortSignal.any([signal, limit]) : limit);
      } catch (error) {
        if (limit.aborted) throw new StorageError('unavailable', `The store did not ${doing} in time.`);
        throw s3Failure(error, doing);
      }
    };
    return persist(attempt, this.#place.patience, signal);
  }

  lock({ lockedUntil }: PutOptions) {
    const { lockMode } = this.#place;
    return lockMode && lockedUntil ? { ObjectLockMode: lockMode, ObjectLockRetainUntilDate: lockedUntil } : {};
  }

  #object(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.#place.bucket, Key: this.key(name) };
  }

  #removeOne(name: string): Promise<unknown> {
    const command = new DeleteObjectCommand(this.#object(name));
    return this.call('remove an object', undefined, (abortSignal) => this.#place.client.send(command, { abortSignal }));
  }

  async #removeMany(names: readonly string[]): Promise<void> {
    const { client, bucket: Bucket } = this.#place;
    const Delete = { Objects: names.map((name) => ({ Key: this.key(name) })), Quiet: true };
    await this.call('remove objects', undefined, async (abortSignal) => {
      const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete }), { abortSignal });
      const [first] = Errors;
      // The call succeeds where single objects failed.
      if (first)
        throw Object.assign(new Error('not removed'), { name: first.Code ?? 'Unknown', $metadata: { httpStatusCode: 409 } });
    });
  }
}

/** The whole body, which must be as long as was said and, of a range, as was asked. */
const read = async ({ Body, ContentLength }: GetObjectCommandOutput, length: number | undefined): Promise<Uint8Array> => {
  const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
  if (ContentLength !== undefined && bytes.length !== ContentLength)
    throw new StorageError('unavailable', 'The answer of the store ended early.');
  if (length !== undefined && bytes.length !== length)
    throw new StorageError('invalid', 'The object is shorter than it should be.');
  return bytes;
};
