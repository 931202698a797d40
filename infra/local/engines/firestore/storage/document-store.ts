import { keyPath, lastKey, nextKey, pathKey } from '../base/path-key.ts';
import type { DocumentChange, Micros, PathKey, StoredDocument } from '../base/types.ts';
import { documentSize, readDocumentHead, writeDocument } from '../value/encode-document.ts';
import type { Change } from './change.ts';
import type { JournalEntry } from './journal.ts';
import { isWanted, type Window } from './read-window.ts';
import { type IndexWalk, SortedIndex } from './sorted-index.ts';
import { none, VersionTable } from './version-table.ts';

/** The documents of a database in name order, with all versions that can still be read. */
export class DocumentStore {
  readonly #tree = new SortedIndex();
  readonly #versions = new VersionTable();
  /** The prefix of all names: `projects/p/databases/d/documents/` */
  readonly #prefix: Buffer;
  /** The number of documents that exist now. */
  size = 0;
  /** Superseded versions and deletions, which will be collected. */
  superseded = 0;

  /** Whether a deletion stays for ever, because it hides a document of the base. */
  readonly #keepsDeletions: boolean;

  constructor(prefix: string, { keepsDeletions = false }: { readonly keepsDeletions?: boolean } = {}) {
    this.#prefix = Buffer.from(prefix);
    this.#keepsDeletions = keepsDeletions;
  }

  get liveBytes(): number {
    return this.#versions.liveBytes;
  }

  /** Whether there is any version of the document, or a deletion. */
  has(key: PathKey): boolean {
    return this.#tree.get(key) !== undefined;
  }

  get(key: PathKey, at: Micros): StoredDocument | undefined {
    const newest = this.#tree.get(key);
    return newest === undefined ? undefined : this.#document(key, this.#versions.visible(newest, at));
  }

  walk(from: PathKey, to: PathKey, backwards?: boolean): IndexWalk {
    return this.#tree.walk(from, to, backwards);
  }

  /** The document at the position of a walk, as of `at`. */
  at(walk: IndexWalk, at: Micros): StoredDocument | undefined {
    return this.#document(walk.key, this.#versions.visible(walk.value, at));
  }

  /** Whether the document at the position of a walk changed after `time`. */
  changedAfter(walk: IndexWalk, time: Micros): boolean {
    return this.#versions.updated(walk.value) > time;
  }

  /** The current document and its newest version number. */
  find(key: PathKey): { readonly newest: number; readonly document: StoredDocument | undefined } {
    const newest = this.#tree.get(key) ?? none;
    return { newest, document: this.#document(key, newest) };
  }

  /** Creates a new version of a document, or a deletion; invisible until `link`. */
  prepare(path: string, fields: Uint8Array | undefined, newest: number, time: Micros): number {
    const versions = this.#versions;
    if (!fields) return versions.addDeletion(time, newest);
    const created = newest === none || versions.isDeletion(newest) ? time : versions.created(newest);
    const pathBytes = Buffer.byteLength(path);
    const length = documentSize(this.#prefix.length + pathBytes, fields.length, created, time);
    return versions.add(created, time, newest, length, (buffer, offset) =>
      writeDocument(buffer, offset, this.#prefix, path, pathBytes, fields, created, time),
    );
  }

  /** The encoded Document of a prepared version. */
  prepared(id: number): Buffer {
    return this.#versions.bytes(id);
  }

  unprepare(id: number): void {
    this.#versions.drop(id);
  }

  /** Makes a prepared version visible and collects older ones that can no longer be read. */
  link(key: PathKey, id: number, window: Window): void {
    this.#tree.set(key, id);
    this.#linked(key, id, window);
  }

  linkAll(changes: readonly Change[], ids: readonly number[], window: Window): void {
    for (const [i, { key }] of changes.entries()) this.link(key, ids[i] ?? none, window);
  }

  /** Makes commits visible one by one and yields the changes of each. */
  *linkAndReport(
    changes: readonly Change[],
    ids: readonly number[],
    window: Window,
  ): Generator<{ time: Micros; visible: DocumentChange[] }> {
    let visible: DocumentChange[] = [];
    for (const [i, { time, key, path }] of changes.entries()) {
      const before = this.get(key, time);
      this.link(key, ids[i] ?? none, window);
      visible.push({ key, path, before, after: this.get(key, time) });
      if (changes[i + 1]?.time === time) continue;
      yield { time, visible };
      visible = [];
    }
  }

  /** Adds a version from disk; versions of a document come in order. */
  restore({ updated, document, path }: JournalEntry, window: Window): void {
    const versions = this.#versions;
    const head = document && readDocumentHead(document);
    const key = pathKey(head ? head.name.slice(this.#prefix.length) : (path ?? ''));
    const id = head
      ? versions.add(head.created, updated, none, document.length, (buffer, offset) => document.copy(buffer, offset))
      : versions.addDeletion(updated, none);
    versions.setOlder(id, this.#tree.set(key, id) ?? none);
    this.#linked(key, id, window);
  }

  /** Updates the counters for a version that has become the newest. */
  #linked(key: PathKey, id: number, window: Window): void {
    const versions = this.#versions;
    const older = versions.older(id);
    const wasThere = older !== none && !versions.isDeletion(older);
    const isThere = !versions.isDeletion(id);
    this.size += Number(isThere) - Number(wasThere);
    this.superseded += Number(wasThere) + Number(!isThere);
    if (older !== none) this.collect(key, id, window);
  }

  /** Drops versions of a document that no read within the window sees, and the key if none remains. */
  collect(key: PathKey, newest: number, window: Window): void {
    const versions = this.#versions;
    let kept = newest;
    for (let id = versions.older(newest); id !== none; ) {
      const older = versions.older(id);
      // A deletion without an earlier version has no meaning.
      const isNews = older !== none || !versions.isDeletion(id);
      if (isNews && isWanted(versions.updated(id), versions.updated(kept), window)) kept = id;
      else {
        versions.setOlder(kept, older);
        this.superseded--;
        versions.drop(id);
      }
      id = older;
    }
    if (!this.#keepsDeletions && versions.isDeletion(newest) && versions.older(newest) === none) {
      this.#tree.delete(key);
      this.superseded--;
      versions.drop(newest);
    }
  }

  /** Visits some documents from `from` on and collects their versions. Returns where to continue, or the empty key at the end. */
  sweep(from: PathKey, window: Window, visits: number): PathKey {
    const walk = this.#tree.walk(from, lastKey);
    const visited: [PathKey, number][] = [];
    while (visited.length < visits && walk.next()) visited.push([walk.key, walk.value]);
    for (const [key, newest] of visited) this.collect(key, newest, window);
    return visited.length < visits ? '' : nextKey(walk.key);
  }

  /** All versions up to `at`, in order for each document. */
  *history(from: PathKey, to: PathKey, at: Micros): Generator<JournalEntry> {
    const walk = this.#tree.walk(from, to);
    while (walk.next()) {
      const chain: number[] = [];
      for (let id = this.#versions.visible(walk.value, at); id !== none; id = this.#versions.older(id)) chain.push(id);
      const entries = chain.reverse().map((id): JournalEntry => {
        const document = this.#versions.isDeletion(id) ? undefined : this.#versions.bytes(id);
        return { updated: this.#versions.updated(id), document, path: document ? undefined : keyPath(walk.key) };
      });
      yield* entries;
    }
  }

  #document(key: PathKey, id: number): StoredDocument | undefined {
    if (id === none || this.#versions.isDeletion(id)) return undefined;
    const versions = this.#versions;
    return new Snapshot(
      key,
      versions.created(id),
      versions.updated(id),
      versions.buffer(id),
      versions.offset(id),
      versions.length(id),
    );
  }
}

/** A version of a document; decoded on demand. */
class Snapshot implements StoredDocument {
  readonly key: PathKey;
  readonly createTime: Micros;
  readonly updateTime: Micros;
  readonly #buffer: Buffer;
  readonly #offset: number;
  readonly #length: number;

  constructor(key: PathKey, createTime: Micros, updateTime: Micros, buffer: Buffer, offset: number, length: number) {
    this.key = key;
    this.createTime = createTime;
    this.updateTime = updateTime;
    this.#buffer = buffer;
    this.#offset = offset;
    this.#length = length;
  }

  get path(): string {
    return keyPath(this.key);
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(this.#offset, this.#offset + this.#length);
  }
}
