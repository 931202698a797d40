/**
 * Versions that a bucket keeps of replaced and deleted objects. A locked version cannot be deleted, but anyone with the right to write
 * can put another one above it, which may be locked as well. So the version that was stored is told from others by its content.
 */

import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type ExpectedObject, type FolderVersions, StorageError } from './object-store.ts';

export interface ListedVersion {
  readonly name: string;
  /** Undefined for a delete marker. */
  readonly version: string | undefined;
  readonly size: number;
  readonly isNewest: boolean;
}

export interface StoredVersion {
  readonly name: string;
  readonly version: string;
}

/** The calls of a bucket that keeps versions. */
export interface VersionedBucket {
  /** Versions and delete markers of one object that are listed in a search. */
  readonly versionsMax: number;
  /** Versions of all objects whose names begin with the prefix, by name, those of one name newest first. None if listing is denied. */
  listVersions(prefix: string, signal?: AbortSignal): AsyncIterable<ListedVersion>;
  readVersion(
    object: StoredVersion,
    range: { readonly offset: number; readonly length: number },
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
}

/** Versions of one object that are compared: so many of the oldest, then of the newest. */
const comparedMax = 10;
/** Versions of a folder that are listed before each object is asked for its own. An intruder may have added any number. */
const folderVersionsMax = 100_000;
const pieceBytes = 8 << 20;

/** The versions of one folder. A version that was selected is what the store reads from then on. */
export class ObjectVersions implements FolderVersions {
  readonly #bucket: VersionedBucket;
  readonly #selected = new Map<string, { readonly version: string; readonly isHidden: boolean }>();
  readonly #selections = new Map<string, Promise<boolean>>();
  #overwritten: Promise<ReadonlySet<string> | undefined> | undefined;

  constructor(bucket: VersionedBucket) {
    this.#bucket = bucket;
  }

  /** The version to read instead of the newest, if one was selected. */
  selected(name: string): { readonly version: string; readonly isHidden: boolean } | undefined {
    return this.#selected.get(name);
  }

  /** Also after the object was stored again: its newest version counts. */
  forget(name: string): void {
    this.#selected.delete(name);
    this.#selections.delete(name);
    this.#overwritten = undefined;
  }

  overwritten(): Promise<ReadonlySet<string> | undefined> {
    if (this.#overwritten) return this.#overwritten;
    const listing = this.#listOverwritten();
    this.#overwritten = listing;
    listing.catch(() => {
      if (this.#overwritten === listing) this.#overwritten = undefined;
    });
    return listing;
  }

  async *deleted(prefix: string): AsyncGenerator<string, void, undefined> {
    for await (const { name, version, isNewest } of this.#bucket.listVersions(prefix))
      if (isNewest && version === undefined) yield name;
  }

  select(object: ExpectedObject, signal?: AbortSignal): Promise<boolean> {
    const selection = this.#selections.get(object.name) ?? this.#search(object, signal);
    this.#selections.set(object.name, selection);
    selection.catch(() => this.#selections.delete(object.name));
    return selection;
  }

  async #listOverwritten(): Promise<ReadonlySet<string> | undefined> {
    const found = new Set<string>();
    let before = '';
    let listed = 0;
    for await (const { name, version, isNewest } of this.#bucket.listVersions('')) {
      if (++listed > folderVersionsMax) return undefined;
      if (name === before || (isNewest && version === undefined)) found.add(name);
      before = name;
    }
    return found;
  }

  async #search({ name, size, maxBytes = Number.POSITIVE_INFINITY, matches }: ExpectedObject, signal?: AbortSignal) {
    const fitting: { readonly version: string; readonly size: number; readonly isNewest: boolean }[] = [];
    let listed = 0;
    for await (const { name: found, version, size: bytes, isNewest } of this.#bucket.listVersions(name, signal)) {
      // Longer names with the same prefix follow.
      if (found !== name || ++listed > this.#bucket.versionsMax) break;
      if (version === undefined || bytes !== (size ?? bytes) || bytes > maxBytes) continue;
      fitting.push({ version, size: bytes, isNewest });
      // Those between the newest and the oldest are not compared.
      if (fitting.length > 2 * comparedMax) fitting.splice(comparedMax, 1);
    }
    // Otherwise the only one was read already.
    if (fitting.every(({ isNewest }) => isNewest)) return false;
    // The same bytes may be stored twice; then the newest counts, and nothing hides it.
    const candidates = [...fitting.filter(({ isNewest }) => isNewest), ...fitting.toReversed()];
    for (const candidate of new Set(candidates)) {
      if (!(await matches(this.#read(name, candidate, signal)).catch(asForeign))) continue;
      this.#selected.set(name, { version: candidate.version, isHidden: !candidate.isNewest });
      return true;
    }
    return false;
  }

  async *#read(name: string, { version, size }: { readonly version: string; readonly size: number }, signal?: AbortSignal) {
    for (let offset = 0; offset < size; offset += pieceBytes) {
      const range = { offset, length: Math.min(pieceBytes, size - offset) };
      yield await this.#bucket.readVersion({ name, version }, range, signal);
    }
  }
}

/** A version that cannot be read, such as one that is encrypted with a foreign key, is not the one that we stored. */
const asForeign = (error: unknown): false => {
  if (!(error instanceof StorageError) || error.isTransient) throw error;
  return false;
};

/** An object with this hash of its stored bytes, in base64url. */
export const objectWithHash = ({
  name,
  size,
  sha256,
}: {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}): ExpectedObject => ({
  name,
  size,
  matches: async (bytes) => {
    const hash = createHash('sha256');
    for await (const piece of bytes) hash.update(piece);
    return hash.digest('base64url') === sha256;
  },
});

/** A small object that is told by its bytes. */
export const objectThat = (
  name: string,
  maxBytes: number,
  accepts: (bytes: Uint8Array) => boolean | Promise<boolean>,
): ExpectedObject => ({
  name,
  maxBytes,
  matches: async (bytes) => accepts(await buffer(bytes)),
});
