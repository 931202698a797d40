import { clock } from '../../../platform/clock.ts';
import { collect, type ReadRequest, tooShort, toReadRequest } from '../byte-range.ts';
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
import type { StoreRetryPolicy } from '../retry-transient.ts';
import { GcsClient, type GcsLockMode, type GcsObject } from './gcs-client.ts';
import type { TokenRequest } from './gcs-transport.ts';
import { GcsUpload } from './gcs-upload.ts';
import { generationsMax, listGenerations } from './list-generations.ts';

interface GcsStoreOptions {
  readonly bucket: string;
  readonly folder: string;
  readonly baseUrl: string;
  readonly requestToken: TokenRequest;
  readonly retryPolicy: StoreRetryPolicy;
  /** A multiple of 256 KiB, as resumable uploads require. */
  readonly partBytes: number;
  readonly lockMode?: GcsLockMode | undefined;
  /** Whether noncurrent generations are searched for what was stored. Default: if the destination has object lock. */
  readonly readsVersions?: boolean | undefined;
}

export const openGcsStore = ({ folder, partBytes, readsVersions, ...options }: GcsStoreOptions): ObjectStore =>
  new GcsStore(new GcsClient(options), { folder, partBytes, hasLocks: options.lockMode !== undefined, readsVersions });

interface FolderOptions extends Pick<GcsStoreOptions, 'folder' | 'partBytes' | 'readsVersions'> {
  readonly hasLocks: boolean;
}

/** A folder of a bucket of Google Cloud Storage. */
class GcsStore implements ObjectStore {
  readonly #client: GcsClient;
  readonly #folder: string;
  readonly #partBytes: number;
  readonly #hasLocks: boolean;
  readonly versions: ObjectVersions | undefined;

  constructor(client: GcsClient, { folder, partBytes, hasLocks, readsVersions = hasLocks }: FolderOptions) {
    this.#client = client;
    this.#folder = folder;
    this.#partBytes = partBytes;
    this.#hasLocks = hasLocks;
    if (readsVersions)
      this.versions = new ObjectVersions({
        versionsMax: generationsMax,
        listVersions: (prefix, signal) => this.#generations(prefix, signal),
        readVersion: (object, range, signal) => client.attempt(() => this.#read(object, toReadRequest(range), signal), signal),
      });
  }

  put(name: string, bytes: Uint8Array, { lockedUntil, signal }: PutOptions = {}): Promise<void> {
    this.versions?.forget(name);
    return this.#client.put({ key: this.#key(name), bytes, lockedUntil, signal });
  }

  upload(name: string, { lockedUntil, signal }: PutOptions = {}): Upload {
    this.versions?.forget(name);
    return new GcsUpload({ client: this.#client, key: this.#key(name), partBytes: this.#partBytes, lockedUntil, signal });
  }

  async get(name: string, extent?: ByteRange, signal?: AbortSignal): Promise<Uint8Array> {
    const request = toReadRequest(extent);
    if (request.range?.length === 0 && (await this.head(name, signal))) return new Uint8Array();
    const read = (version?: string): Promise<Uint8Array> =>
      this.#client.attempt(() => this.#read({ name, version }, request, signal), signal);
    try {
      return await read(this.versions?.selected(name)?.version);
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'missing' || error.bucket) throw error;
      const locked = await this.#lockedGeneration(name, signal);
      if (locked === undefined) throw error;
      return read(locked);
    }
  }

  async head(name: string, signal?: AbortSignal): Promise<ObjectState | undefined> {
    const selected = this.versions?.selected(name);
    const found = await this.#client.find(this.#key(name), signal, selected?.version);
    if (found && (selected || !this.#hasLocks || isLockedNow(found.lockedUntil)))
      return stateOf(found, selected?.isHidden ?? false);
    const locked = await this.#lockedGeneration(name, signal);
    const hidden = locked === undefined ? undefined : await this.#client.find(this.#key(name), signal, locked);
    return hidden ? stateOf(hidden, true) : found && stateOf(found, false);
  }

  #generations(prefix: string, signal: AbortSignal | undefined) {
    return listGenerations(this.#client, { folder: this.#key(''), prefix, signal });
  }

  /** The newest locked generation that is not live. */
  async #lockedGeneration(name: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    if (!this.versions) return undefined;
    let listed = 0;
    for await (const { name: found, version, isNewest, isLocked } of this.#generations(name, signal)) {
      // Longer names with the same prefix follow.
      if (found !== name || ++listed > generationsMax) return undefined;
      if (isLocked && !isNewest) return version;
    }
    return undefined;
  }

  extendLock(name: string, state: ObjectState, extension: LockExtension): Promise<Date | undefined> {
    return this.#client.extendLock(this.#key(name), state, extension);
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
  async #read(
    { name, version: generation }: { readonly name: string; readonly version?: string | undefined },
    { range, maxBytes }: ReadRequest,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const abort = new AbortController();
    const call = {
      doing: 'read an object',
      signal: signal ? AbortSignal.any([signal, abort.signal]) : abort.signal,
      media: { status: range ? 206 : 200, maxBytes },
    };
    const file = this.#client.file(this.#key(name), call, generation);
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

const isLockedNow = (until: Date | undefined): boolean => until !== undefined && until > clock.now();

const stateOf = ({ size, crc32c, generation: version, lockedUntil, lockMode }: GcsObject, isHidden: boolean): ObjectState => ({
  size,
  checksums: [`crc32c:${crc32c}`],
  version,
  lockedUntil,
  isCompliance: lockMode === 'Locked',
  ...(isHidden && { isHidden }),
});

interface ListResponse {
  readonly items?: readonly { readonly name?: string; readonly size?: string }[];
  readonly nextPageToken?: string;
}
