import { createHash } from 'node:crypto';
import { randomToken } from '../platform/index.ts';
import { concurrently } from './concurrent.ts';
import { askedOf, rangeHeader, tooShort } from './extent.ts';
import type { GcsClient } from './gcs-client.ts';
import { GcsUpload } from './gcs-upload.ts';
import { Paging } from './paging.ts';
import { type Extent, type PutOptions, StorageError, type Store, type Upload } from './store.ts';

export interface GcsPlace {
  readonly client: GcsClient;
  readonly bucket: string;
  readonly folder: string;
  /** A multiple of 256 KiB, as the store asks. */
  readonly partBytes: number;
}

/** What the store tells of an object; numbers come as text. */
export interface GcsObject {
  readonly name?: string;
  readonly size?: string;
  readonly md5Hash?: string;
}

const callsAtOnce = 8;

/** A bucket of Google Cloud Storage. */
export class GcsStore implements Store {
  readonly #place: GcsPlace;

  constructor(place: GcsPlace) {
    this.#place = place;
  }

  async put(name: string, bytes: Uint8Array, { signal }: PutOptions = {}): Promise<void> {
    const md5Hash = createHash('md5').update(bytes).digest('base64');
    const boundary = randomToken();
    // The store itself refuses bytes that are not of this hash.
    const metadata = JSON.stringify({ name: this.key(name), md5Hash });
    const body = Buffer.concat([
      Buffer.from(`--${boundary}\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${metadata}\r\n`),
      Buffer.from(`--${boundary}\r\ncontent-type: application/octet-stream\r\n\r\n`),
      bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
    const answer = await this.#place.client.call(
      {
        ...{ doing: 'store an object', method: 'POST', path: this.uploadPath('multipart'), body, signal },
        headers: { 'content-type': `multipart/related; boundary=${boundary}` },
      },
      200,
    );
    const told = parse(answer.body) as GcsObject;
    if (told.md5Hash !== md5Hash || Number(told.size) !== bytes.length)
      throw new StorageError('invalid', 'The store kept other bytes than it was given.');
  }

  upload(name: string, options: PutOptions = {}): Upload {
    return new GcsUpload(this, this.#place, name, options);
  }

  async get(name: string, extent?: Extent, signal?: AbortSignal): Promise<Uint8Array> {
    const { range, maxBytes } = askedOf(extent);
    if (range?.length === 0 && (await this.head(name, signal))) return new Uint8Array();
    const path = `${this.#objectPath(name)}?alt=media`;
    const { body } = await this.#place.client.call(
      {
        ...{ doing: 'read an object', method: 'GET', path, signal, maxBytes },
        ...(range && { headers: { range: rangeHeader(range) } }),
      },
      range ? 206 : 200,
    );
    if (range && body.length !== range.length) throw tooShort();
    return body;
  }

  async head(name: string, signal?: AbortSignal): Promise<{ size: number } | undefined> {
    const path = `${this.#objectPath(name)}?fields=size`;
    try {
      const { body } = await this.#place.client.call({ doing: 'look at an object', method: 'GET', path, signal }, 200);
      return { size: Number((parse(body) as GcsObject).size) };
    } catch (error) {
      if (error instanceof StorageError && error.code === 'missing' && !error.bucket) return undefined;
      throw error;
    }
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ name: string; size: number }> {
    const paging = new Paging();
    const base = `${this.#bucketPath()}/o?fields=${encodeURIComponent('items(name,size),nextPageToken')}&prefix=${encodeURIComponent(this.key(prefix))}`;
    let pageToken: string | undefined;
    do {
      const path = pageToken === undefined ? base : `${base}&pageToken=${encodeURIComponent(pageToken)}`;
      const { body } = await this.#place.client.call({ doing: 'list objects', method: 'GET', path, signal }, 200);
      const { items = [], nextPageToken } = parse(body) as { items?: readonly GcsObject[]; nextPageToken?: string };
      for (const { name = '', size } of items) yield { name: name.slice(this.key('').length), size: Number(size) };
      pageToken = nextPageToken && paging.next(nextPageToken, items.length);
    } while (pageToken);
  }

  remove(names: readonly string[], signal?: AbortSignal): Promise<void> {
    return concurrently(names, callsAtOnce, async (name) => {
      try {
        const call = { doing: 'remove an object', method: 'DELETE', path: this.#objectPath(name), signal } as const;
        await this.#place.client.call(call, 204, 200);
      } catch (error) {
        if (!(error instanceof StorageError && error.code === 'missing' && !error.bucket)) throw error;
      }
    });
  }

  /** The store keeps no list of them; it ends unfinished uploads itself after a week, and they cost nothing. */
  async abandon(): Promise<number> {
    return 0;
  }

  close(): void {
    this.#place.client.close();
  }

  key(name: string): string {
    return this.#place.folder === '' ? name : `${this.#place.folder}/${name}`;
  }

  uploadPath(uploadType: 'multipart' | 'resumable'): string {
    return `/upload${this.#bucketPath()}/o?uploadType=${uploadType}`;
  }

  #bucketPath(): string {
    return `/storage/v1/b/${encodeURIComponent(this.#place.bucket)}`;
  }

  #objectPath(name: string): string {
    return `${this.#bucketPath()}/o/${encodeURIComponent(this.key(name))}`;
  }
}

/** What is not JSON is no answer of the store. */
export const parse = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw new StorageError('unavailable', 'The store answered something else than JSON.', { cause });
  }
};
