import type { GoogleAccount } from '../../../platform/index.ts';
import { collect, type ReadRequest, tooShort, toReadRequest } from '../byte-range.ts';
import type { ByteRange, ObjectStore, PutOptions, Upload } from '../object-store.ts';
import { PageGuard } from '../page-guard.ts';
import { removeEach } from '../remove-each.ts';
import type { RetryPolicy } from '../retry-transient.ts';
import { GcsClient } from './gcs-client.ts';
import { GcsUpload } from './gcs-upload.ts';

interface GcsStoreOptions {
  readonly bucket: string;
  readonly folder: string;
  readonly baseUrl: string;
  readonly account: GoogleAccount;
  readonly retryPolicy: RetryPolicy;
  /** A multiple of 256 KiB, as resumable uploads require. */
  readonly partBytes: number;
}

export const openGcsStore = ({ bucket, folder, baseUrl, account, retryPolicy, partBytes }: GcsStoreOptions): ObjectStore =>
  new GcsStore(new GcsClient({ bucket, baseUrl, account, retryPolicy }), folder, partBytes);

/** A folder of a bucket of Google Cloud Storage. */
class GcsStore implements ObjectStore {
  readonly #client: GcsClient;
  readonly #folder: string;
  readonly #partBytes: number;

  constructor(client: GcsClient, folder: string, partBytes: number) {
    this.#client = client;
    this.#folder = folder;
    this.#partBytes = partBytes;
  }

  put(name: string, bytes: Uint8Array, { signal }: PutOptions = {}): Promise<void> {
    return this.#client.put({ key: this.#key(name), bytes, signal });
  }

  upload(name: string, { signal }: PutOptions = {}): Upload {
    return new GcsUpload({ client: this.#client, key: this.#key(name), partBytes: this.#partBytes, signal });
  }

  async get(name: string, extent?: ByteRange, signal?: AbortSignal): Promise<Uint8Array> {
    const request = toReadRequest(extent);
    if (request.range?.length === 0 && (await this.head(name, signal))) return new Uint8Array();
    return this.#client.attempt(() => this.#read(name, request, signal), signal);
  }

  async head(name: string, signal?: AbortSignal): Promise<{ size: number } | undefined> {
    const found = await this.#client.find(this.#key(name), signal);
    return found && { size: found.size };
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<{ name: string; size: number }> {
    const pageGuard = new PageGuard();
    const query = { prefix: this.#key(prefix), fields: 'items(name,size),nextPageToken', autoPaginate: false };
    let pageToken: string | undefined;
    do {
      const page = pageToken === undefined ? query : { ...query, pageToken };
      const [, , response] = await this.#client.attempt(
        () => this.#client.bucket({ doing: 'list objects', signal }).getFiles(page),
        signal,
      );
      const { items = [], nextPageToken } = response as ListResponse;
      for (const { name = '', size } of items) yield { name: name.slice(this.#key('').length), size: Number(size) };
      pageToken = nextPageToken && pageGuard.next(nextPageToken, items.length);
    } while (pageToken);
  }

  async remove(names: readonly string[], signal?: AbortSignal): Promise<void> {
    await removeEach(names, (name) => this.#client.remove(this.#key(name), { signal }));
  }

  /** Cloud Storage does not list unfinished uploads. They expire after a week and are not billed. */
  async abortUnfinishedUploads(): Promise<number> {
    return 0;
  }

  close(): void {
    this.#client.close();
  }

  #key(name: string): string {
    return this.#folder === '' ? name : `${this.#folder}/${name}`;
  }

  /** The library validates the checksum of a whole object. A range has none. */
  async #read(name: string, { range, maxBytes }: ReadRequest, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const abort = new AbortController();
    const file = this.#client.file(this.#key(name), {
      doing: 'read an object',
      signal: signal ? AbortSignal.any([signal, abort.signal]) : abort.signal,
      media: { status: range ? 206 : 200, maxBytes },
    });
    const stream = file.createReadStream({
      decompress: false,
      validation: range ? false : 'crc32c',
      ...(range && { start: range.offset, end: range.offset + range.length - 1 }),
    });
    try {
      const bytes = await collect(stream, maxBytes);
      if (range && bytes.length !== range.length) throw tooShort();
      return bytes;
    } catch (error) {
      abort.abort();
      throw error;
    }
  }
}

interface ListResponse {
  readonly items?: readonly { readonly name?: string; readonly size?: string }[];
  readonly nextPageToken?: string;
}
