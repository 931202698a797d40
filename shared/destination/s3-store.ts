import { AwsError, elementsOf, textOf, xmlEscaped } from '../platform/index.ts';
import { concurrently } from './concurrent.ts';
import { askedOf, rangeHeader } from './extent.ts';
import { Paging } from './paging.ts';
import { documentOf, objectOf, toldOf } from './s3-answer.ts';
import { S3Bucket, type S3Place } from './s3-bucket.ts';
import { confirms, digestHeaders, digestOf } from './s3-digest.ts';
import { endUploads } from './s3-unfinished.ts';
import { S3Upload } from './s3-upload.ts';
import { type Extent, type PutOptions, StorageError, type Store, type Upload } from './store.ts';

/** S3 removes this many objects in one call. */
const removedAtOnce = 1_000;
const callsAtOnce = 8;
/** What documents sent to S3 are in. */
export const s3Namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** A bucket of AWS, or of any store that speaks S3. */
export class S3Store implements Store {
  readonly bucket: S3Bucket;

  constructor(place: S3Place) {
    this.bucket = new S3Bucket(place);
  }

  put(name: string, bytes: Uint8Array, options: PutOptions = {}): Promise<void> {
    const digest = digestOf(this.bucket.place.digest, bytes);
    const headers = { 'content-type': 'application/octet-stream', ...digestHeaders(digest), ...this.bucket.lock(options) };
    const asked = { method: 'PUT', key: this.bucket.key(name), headers, body: bytes, signal: options.signal } as const;
    return this.bucket.call('store an object', asked, (answer) => {
      if (confirms(digest, toldOf(answer)) === false)
        throw new StorageError('unavailable', 'The store kept other bytes than it was given.');
    });
  }

  upload(name: string, options: PutOptions = {}): Upload {
    return new S3Upload(this, name, options);
  }

  async get(name: string, extent?: Extent, signal?: AbortSignal): Promise<Uint8Array> {
    const asked = askedOf(extent);
    if (asked.range?.length === 0 && (await this.head(name, signal))) return new Uint8Array();
    const headers: Readonly<Record<string, string>> = asked.range ? { range: rangeHeader(asked.range) } : {};
    const call = { method: 'GET', key: this.bucket.key(name), headers, maxBytes: asked.maxBytes, signal } as const;
    return this.bucket.call('read an object', call, (answer) => objectOf(answer, asked));
  }

  async head(name: string, signal?: AbortSignal): Promise<{ size: number } | undefined> {
    const found = await this.bucket.look(name, signal);
    return found && { size: found.size };
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ name: string; size: number }> {
    const paging = new Paging();
    const folder = this.bucket.key('');
    let mark: string | undefined;
    do {
      const query = { 'list-type': '2', prefix: this.bucket.key(prefix) || undefined, 'continuation-token': mark };
      const page = await this.bucket.call('list objects', { method: 'GET', query, signal }, documentOf);
      const found = elementsOf(page, 'Contents');
      for (const object of found)
        yield { name: (textOf(object, 'Key') ?? '').slice(folder.length), size: Number(textOf(object, 'Size') ?? 0) };
      const isMore = textOf(page, 'IsTruncated') === 'true';
      mark = isMore ? paging.next(textOf(page, 'NextContinuationToken'), found.length) : undefined;
    } while (mark !== undefined);
  }

  async remove(names: readonly string[], signal?: AbortSignal): Promise<void> {
    // Not all others of the S3 kind remove many at once.
    if (this.bucket.place.digest === 'md5' || names.length === 1)
      return concurrently(names, callsAtOnce, (name) => this.#removeOne(name, signal));
    for (let from = 0; from < names.length; from += removedAtOnce)
      await this.#removeMany(names.slice(from, from + removedAtOnce), signal);
  }

  abandon(prefix: string, signal?: AbortSignal): Promise<number> {
    return endUploads(this.bucket, prefix, { signal });
  }

  close(): void {
    this.bucket.place.client.close();
  }

  #removeOne(name: string, signal: AbortSignal | undefined): Promise<unknown> {
    return this.bucket.call('remove an object', { method: 'DELETE', key: this.bucket.key(name), signal }, () => undefined);
  }

  async #removeMany(names: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const objects = names.map((name) => `<Object><Key>${xmlEscaped(this.bucket.key(name))}</Key></Object>`).join('');
    const body = Buffer.from(`<Delete xmlns="${s3Namespace}"><Quiet>true</Quiet>${objects}</Delete>`);
    const headers = { 'content-type': 'application/xml', ...digestHeaders(digestOf(this.bucket.place.digest, body)) };
    await this.bucket.call('remove objects', { method: 'POST', query: { delete: '' }, headers, body, signal }, (answer) => {
      const [first] = elementsOf(documentOf(answer), 'Error');
      // The call succeeds where single objects failed.
      if (first) throw new AwsError(textOf(first, 'Code') ?? 'Unknown', 'not removed', 409);
    });
  }
}
