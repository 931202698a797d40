import { type DatabaseName, databaseName } from '../base/document-name.ts';
import { lastKey } from '../base/path-key.ts';
import { Pending } from '../base/pending.ts';
import type { Database, DocumentChange, Micros, PathKey, ScanOrder, StoredDocument } from '../base/types.ts';
import { type CatalogState, IndexCatalog } from '../indexes/index-catalog.ts';
import type { IndexDefinitions } from '../indexes/index-definitions.ts';
import { type BaseDocuments, pendingScan, type ScanOptions } from './base-documents.ts';
import type { Change } from './change.ts';
import { CommitClock } from './commit-clock.ts';
import { type DatabaseInfo, defaultInfo } from './database-info.ts';
import { DocumentStore } from './document-store.ts';
import { Journal } from './journal.ts';
import { ReadMeter } from './read-meter.ts';
import { Transactions } from './transactions.ts';

export interface DatabaseOptions {
  /** The folder of the database; without it, it is kept in memory. */
  readonly dir?: string | undefined;
  readonly clock?: () => Micros;
  /** When point-in-time recovery was enabled. */
  readonly pointInTimeRecoverySince?: Micros | undefined;
  /** How long a commit waits for a transaction that has read the same documents. */
  readonly lockWaitMs?: number | undefined;
  /** The text of a `firestore.indexes.json`. Undefined: every query has its index. */
  readonly indexes?: string | undefined;
  /** The indexes and fields that the Admin API has changed, and what keeps a change. */
  readonly catalog?: CatalogState | undefined;
  readonly keepCatalog?: ((state: CatalogState) => void) | undefined;
  /** How long an index is built. */
  readonly indexBuildMs?: number | undefined;
  readonly info?: DatabaseInfo | undefined;
  /** What it contains where nothing was written. */
  readonly base?: BaseDocuments | undefined;
}

type Listener = (time: Micros, changes: readonly DocumentChange[]) => void;

/** A database: an in-memory store, the journal it is rebuilt from, and its commit clock. */
export class StoredDatabase implements Database {
  readonly projectId: string;
  readonly databaseId: string;
  readonly name: string;
  readonly transactions: Transactions;
  readonly catalog: IndexCatalog;
  /** What its reads are billed. */
  readonly meter = new ReadMeter();
  info: DatabaseInfo;
  readonly base: BaseDocuments | undefined;
  readonly #store: DocumentStore;
  readonly #journal: Journal | undefined;
  readonly #timeline: CommitClock;
  readonly #listeners = new Set<Listener>();
  readonly #timer: NodeJS.Timeout;
  #sweepFrom: PathKey = '';

  constructor(name: DatabaseName, options: DatabaseOptions = {}) {
    this.projectId = name.projectId;
    this.databaseId = name.databaseId;
    this.name = databaseName(name);
    this.info = { ...defaultInfo, ...options.info };
    this.#timeline = new CommitClock(options.clock, options.pointInTimeRecoverySince);
    this.catalog = new IndexCatalog({
      state: options.catalog,
      file: options.indexes,
      buildMs: options.indexBuildMs ?? defaultBuildMs,
      now: () => this.now(),
      keep: options.keepCatalog ?? (() => {}),
    });
    this.base = options.base;
    this.#store = new DocumentStore(`${this.name}/documents/`, { keepsDeletions: options.base !== undefined });
    this.transactions = new Transactions(this, options.lockWaitMs);
    if (options.dir !== undefined)
      this.#journal = new Journal(options.dir, (entry) => {
        this.#timeline.saw(entry.updated);
        this.#store.restore(entry, this.#timeline.window);
      });
    this.#timer = setInterval(() => this.sweep(), sweepMs).unref();
  }

  /** What queries are checked against; undefined if they are not. */
  get indexes(): IndexDefinitions | undefined {
    return this.catalog.definitions;
  }

  /** The number of documents. */
  get size(): number {
    return this.#store.size;
  }

  /** Bytes of all retained versions. */
  get liveBytes(): number {
    return this.#store.liveBytes;
  }

  /** When point-in-time recovery was enabled; undefined while it is disabled. */
  get pointInTimeRecoverySince(): Micros | undefined {
    return this.#timeline.recoverySince;
  }

  get pointInTimeRecovery(): boolean {
    return this.#timeline.recoverySince !== undefined;
  }

  setPointInTimeRecovery(on: boolean): void {
    this.#timeline.setRecovery(on);
  }

  now(): Micros {
    return this.#timeline.now();
  }

  readTime(): Micros {
    return this.#timeline.readTime();
  }

  nextTime(): Micros {
    return this.#timeline.nextTime();
  }

  checkReadTime(at: Micros): void {
    this.#timeline.check(at);
  }

  /** Expires all snapshots before now, also for running scans. */
  expireSnapshots(): void {
    this.#timeline.expire();
  }

  get(key: PathKey, at: Micros): StoredDocument | undefined {
    this.#timeline.checkKept(at);
    return this.#store.get(key, at);
  }

  *scan(from: PathKey, to: PathKey, { at, backwards = false }: ScanOrder): Generator<StoredDocument> {
    this.#timeline.checkKept(at);
    const walk = this.#store.walk(from, to, backwards);
    while (walk.next()) {
      const document = this.#store.at(walk, at);
      if (!document) continue;
      yield document;
      this.#timeline.checkKept(at);
    }
  }

  /** A document, also one of the base. */
  fetch(key: PathKey, at: Micros): StoredDocument | undefined | Pending<StoredDocument | undefined> {
    if (!this.base || this.#store.has(key)) return this.get(key, at);
    this.#timeline.checkKept(at);
    return new Pending(this.base.get(key));
  }

  /** As `scan`, with the documents of the base. */
  scanAll(
    { from, to, ...options }: ScanOptions & { readonly from: PathKey; readonly to: PathKey },
    at: Micros,
  ): Iterable<StoredDocument | Pending> {
    const own = this.scan(from, to, { at, backwards: options.backwards });
    return this.base ? this.#merged(own, pendingScan(this.base, { from, to, ...options }), { at, ...options }) : own;
  }

  /** A document of the base that a commit has copied since is read from the copy, whatever its own scan has passed. */
  *#merged(
    own: Iterable<StoredDocument>,
    base: Iterable<StoredDocument | Pending>,
    { at, backwards = false }: { readonly at: Micros; readonly backwards?: boolean | undefined },
  ): Generator<StoredDocument | Pending, void, undefined> {
    const mine = own[Symbol.iterator]();
    let next = mine.next();
    for (const below of base) {
      if (below instanceof Pending) {
        yield below;
        continue;
      }
      const { key } = below;
      for (; !next.done && (backwards ? next.value.key > key : next.value.key < key); next = mine.next()) yield next.value;
      if (!next.done && next.value.key === key) next = mine.next();
      const document = this.#store.has(key) ? this.#store.get(key, at) : below;
      if (document) yield document;
    }
    for (; !next.done; next = mine.next()) yield next.value;
  }

  /** Copies documents of the base that a commit will change, so that it is staged and applied without waiting. */
  async copyUp(keys: readonly PathKey[]): Promise<void> {
    const base = this.base;
    if (!base) return;
    const found = await Promise.all(keys.filter((key) => !this.#store.has(key)).map((key) => base.get(key)));
    const { window } = this.#timeline;
    for (const document of found) {
      // Another commit may have copied it meanwhile.
      if (!document || this.#store.has(document.key)) continue;
      const bytes = Buffer.from(document.bytes);
      this.#journal?.put(document.updateTime, bytes);
      this.#store.restore({ updated: document.updateTime, document: bytes, path: undefined }, window);
    }
    this.#journal?.append();
  }

  /** The documents with from ≤ key < to whose states at `after` and `at` differ. */
  *changes(
    from: PathKey,
    to: PathKey,
    { after, at }: { readonly after: Micros; readonly at: Micros },
  ): Generator<DocumentChange> {
    this.#timeline.checkKept(after);
    const walk = this.#store.walk(from, to);
    while (walk.next()) {
      if (!this.#store.changedAfter(walk, after)) continue;
      const before = this.#store.at(walk, after);
      const now = this.#store.at(walk, at);
      if (before?.updateTime === now?.updateTime && before?.createTime === now?.createTime) continue;
      const { key } = walk;
      yield { key, path: (now ?? before)?.path ?? '', before, after: now };
      this.#timeline.checkKept(after);
    }
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The current document and its newest version number, as the base of a change. */
  find(key: PathKey): { readonly newest: number; readonly document: StoredDocument | undefined } {
    return this.#store.find(key);
  }

  /** Applies commits in time order: first to disk, then visible to readers. */
  apply(changes: readonly Change[]): void {
    const journal = this.#journal;
    const ids = changes.map(({ time, path, fields, newest }) => {
      const id = this.#store.prepare(path, fields, newest, time);
      if (fields) journal?.put(time, this.#store.prepared(id));
      else journal?.delete(time, path);
      return id;
    });
    try {
      journal?.append();
    } catch (error) {
      for (const id of ids) this.#store.unprepare(id);
      throw error;
    }
    const { window } = this.#timeline;
    if (this.#listeners.size === 0) this.#store.linkAll(changes, ids, window);
    else
      for (const { time, visible } of this.#store.linkAndReport(changes, ids, window))
        for (const listener of [...this.#listeners]) notify(listener, time, visible);
    this.#compactIfDue();
  }

  /** Collects versions that can no longer be read, in small steps until all documents were visited. */
  sweep(): void {
    this.#timeline.renew();
    if (this.#store.superseded === 0) return;
    this.#sweepFrom = this.#store.sweep(this.#sweepFrom, this.#timeline.window, sweepVisits);
    if (this.#sweepFrom !== '') setImmediate(() => this.sweep()).unref();
  }

  /** Rewrites the files without versions that can no longer be read. */
  async compact(): Promise<void> {
    const at = this.readTime();
    await this.#journal?.compact(() => this.#store.history('', lastKey, at));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#journal?.close();
  }

  #compactIfDue(): void {
    if (!this.#journal || this.#journal.size < compactAboveBytes + 2 * this.#store.liveBytes) return;
    this.compact().catch((error: unknown) => {
      console.error(`${this.name}: compaction failed`, error);
    });
  }
}

/** Long enough to be watched. */
const defaultBuildMs = 2_000;
const sweepMs = 60_000;
const sweepVisits = 5_000;
const compactAboveBytes = 64 * 1024 * 1024;

/** The commit has happened, so a failing listener is not the writer's error. */
const notify = (listener: Listener, time: Micros, changes: readonly DocumentChange[]): void => {
  try {
    listener(time, changes);
  } catch (error) {
    console.error('a listener failed', error);
  }
};
