import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { concurrently } from './concurrent.ts';
import { askedOf, rangeHeader } from './extent.ts';
import { Paging } from './paging.ts';
import { readObject } from './s3-answer.ts';
import { S3Bucket, type S3Place } from './s3-bucket.ts';
import { confirms, digestHeaders, digestOf } from './s3-digest.ts';
import { endUploads } from './s3-unfinished.ts';
import { S3Upload } from './s3-upload.ts';
import { type Extent, type PutOptions, StorageError, type Store, type Upload } from './store.ts';

/** S3 removes this many objects in one call. */
const removedAtOnce = 1_000;
const callsAtOnce = 8;

/** A bucket of AWS, or of any store that speaks S3. */
export class S3Store implements Store {
  readonly bucket: S3Bucket;

  constructor(place: S3Place) {
    this.bucket = new S3Bucket(place);
  }

  put(name: string, bytes: Uint8Array, options: PutOptions = {}): Promise<void> {
    const { client, digest: kind } = this.bucket.place;
    const digest = digestOf(kind, bytes);
    const command = new PutObjectCommand({
      ...this.bucket.object(name),
      Body: bytes,
      ContentLength: bytes.length,
      ...digestHeaders(digest),
      ...this.bucket.lock(options),
    });
    return this.bucket.call('store an object', options.signal, async (abortSignal) => {
      const told = await client.send(command, { abortSignal });
      if (confirms(digest, told) === false)
        throw new StorageError('unavailable', 'The store kept other bytes than it was given.');
    });
  }

  upload(name: string, options: PutOptions = {}): Upload {
    return new S3Upload(this, name, options);
  }

  async get(name: string, extent?: Extent, signal?: AbortSignal): Promise<Uint8Array> {
    const asked = askedOf(extent);
    if (asked.range?.length === 0 && (await this.head(name, signal))) return new Uint8Array();
    const Range = asked.range && rangeHeader(asked.range);
    const command = new GetObjectCommand({ ...this.bucket.object(name), Range });
    return this.bucket.call('read an object', signal, async (abortSignal) =>
      readObject(await this.bucket.place.client.send(command, { abortSignal }), asked),
    );
  }

  async head(name: string, signal?: AbortSignal): Promise<{ size: number } | undefined> {
    const found = await this.bucket.look(name, signal);
    return found && { size: found.ContentLength ?? 0 };
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ name: string; size: number }> {
    const paging = new Paging();
    const { client, bucket: Bucket } = this.bucket.place;
    const folder = this.bucket.key('');
    let ContinuationToken: string | undefined;
    do {
      const command = new ListObjectsV2Command({ Bucket, Prefix: this.bucket.key(prefix), ContinuationToken });
      const page = await this.bucket.call('list objects', signal, (abortSignal) => client.send(command, { abortSignal }));
      const { Contents = [], IsTruncated, NextContinuationToken } = page;
      for (const { Key = '', Size = 0 } of Contents) yield { name: Key.slice(folder.length), size: Size };
      ContinuationToken = IsTruncated ? paging.next(NextContinuationToken, Contents.length) : undefined;
    } while (ContinuationToken !== undefined);
  }

  async remove(names: readonly string[], signal?: AbortSignal): Promise<void> {
    // Others of the S3 kind ask for an MD5 here that the client no longer sends.
    if (this.bucket.place.digest === 'md5' || names.length === 1)
      return concurrently(names, callsAtOnce, (name) => this.#removeOne(name, signal));
    for (let from = 0; from < names.length; from += removedAtOnce)
      await this.#removeMany(names.slice(from, from + removedAtOnce), signal);
  }

  abandon(prefix: string, signal?: AbortSignal): Promise<number> {
    return endUploads(this.bucket, prefix, { signal });
  }

  close(): void {
    this.bucket.place.client.destroy();
  }

  #removeOne(name: string, signal: AbortSignal | undefined): Promise<unknown> {
    const command = new DeleteObjectCommand(this.bucket.object(name));
    return this.bucket.call('remove an object', signal, (abortSignal) => this.bucket.place.client.send(command, { abortSignal }));
  }

  async #removeMany(names: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const { client, bucket: Bucket } = this.bucket.place;
    const Delete = { Objects: names.map((name) => ({ Key: this.bucket.key(name) })), Quiet: true };
    const command = new DeleteObjectsCommand({ Bucket, Delete });
    await this.bucket.call('remove objects', signal, async (abortSignal) => {
      const { Errors: [first] = [] } = await client.send(command, { abortSignal });
      // The call succeeds where single objects failed.
      if (first)
        throw Object.assign(new Error('not removed'), { name: first.Code ?? 'Unknown', $metadata: { httpStatusCode: 409 } });
    });
  }
}
