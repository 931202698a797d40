import {
  ArchiveError,
  ChunkWriter,
  type DocumentMarks,
  type ObjectEntry,
  objectName,
  readChunk,
  recordKind,
  type WriterOptions,
} from '../../archive/index.ts';
import { type ObjectStore, StorageError, type Upload } from '../../destination/index.ts';

/** Bytes gathered before the upload is given them. */
const handOverBytes = 1 << 20;
/** What has no more is read back and opened before anything relies on it; of a larger one the store is asked for its size. */
const readBackBytes = 8 << 20;
export const chunkName = objectName('chunk', 0);

export interface BatchOptions extends WriterOptions {
  /** Says durably that an object may be left behind, then opens the store: without a change there is no need of one. */
  readonly openStore: () => Promise<ObjectStore>;
  readonly signal: AbortSignal;
}

/** Writes the changes of a batch as they are found; memory is that of a leaf and of what the upload holds. Without a change nothing is stored. */
export class ChangeBatchWriter {
  readonly #options: BatchOptions;
  readonly #chunk: ChunkWriter;
  #store: Promise<ObjectStore> | undefined;
  #upload: Upload | undefined;
  /** Several streams hand over at once, and an upload takes bytes in order: each waits for the one before, and fails with it. */
  #handing: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** Versions and deletions so far. */
  changes = 0;

  constructor(options: BatchOptions) {
    this.#options = options;
    this.#chunk = new ChunkWriter(chunkName, { ...options, ordered: false });
  }

  /** A version of a document, as the source encodes it. */
  document(bytes: Uint8Array, start: number, end: number, marks: DocumentMarks): void {
    this.#chunk.document(bytes, start, end, marks);
    this.changes += 1;
  }

  /** That there is no document of this full name from that moment on, in microseconds. */
  tombstone(name: string, since: number): void {
    const bytes = Buffer.from(name);
    const seconds = Math.floor(since / 1_000_000);
    const updated = { updatedSeconds: seconds, updatedNanos: (since - seconds * 1_000_000) * 1_000 };
    const marks = { nameStart: 0, nameEnd: bytes.length, createdSeconds: 0, createdNanos: 0, ...updated };
    this.#chunk.record(recordKind.tombstone, bytes, marks, 0, 0);
    this.changes += 1;
  }

  /** Hands on what is ready, and waits if the store is slower than the source. */
  async drain(): Promise<void> {
    if (this.#chunk.pendingBytes >= handOverBytes) await this.#handOver();
  }

  /** Resolves when the object is stored and proven to be what was written; undefined if nothing changed. */
  async finish(): Promise<ObjectEntry | undefined> {
    if (this.changes === 0) return undefined;
    const entry = this.#chunk.finish();
    await this.#handOver();
    const { size } = await (await this.#begun()).finish();
    this.#upload = undefined;
    if (size !== entry.size) throw otherSize(size, entry);
    await this.#prove(await this.#opened(), entry);
    return entry;
  }

  /** Leaves nothing unfinished behind. Safe after a failure, and twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const store = await this.#store?.catch(() => undefined);
    await this.#upload?.abort().catch(() => undefined);
    store?.close();
  }

  #handOver(): Promise<void> {
    this.#handing = this.#handing.then(async () => {
      const upload = await this.#begun();
      await upload.write(this.#chunk.take());
    });
    return this.#handing;
  }

  #opened(): Promise<ObjectStore> {
    this.#store ??= this.#options.openStore();
    return this.#store;
  }

  async #begun(): Promise<Upload> {
    if (this.#isClosed) throw new Error('the batch is closed');
    const store = await this.#opened();
    if (this.#isClosed) throw new Error('the batch is closed');
    this.#upload ??= store.upload(chunkName, { signal: this.#options.signal });
    return this.#upload;
  }

  /** Tokens move on with the batch: what cannot be read then is lost. */
  async #prove(store: ObjectStore, entry: ObjectEntry): Promise<void> {
    const { identity, dataKey, signal } = this.#options;
    if (entry.size > readBackBytes) {
      const { size = 0 } = (await store.head(entry.name, signal)) ?? {};
      if (size !== entry.size) throw otherSize(size, entry);
      return;
    }
    try {
      const bytes = await store.get(entry.name, { offset: 0, length: entry.size }, signal);
      for await (const { leaf } of readChunk([bytes], { identity, name: entry.name, dataKey, entry })) void leaf;
    } catch (cause) {
      if (!(cause instanceof ArchiveError)) throw cause;
      throw new StorageError('invalid', `The store has other bytes than were sent: ${cause.message}`, { cause });
    }
  }
}

const otherSize = (size: number, entry: ObjectEntry): StorageError =>
  new StorageError('invalid', `The store has ${size} bytes where ${entry.size} were sent.`);

/** When a record was written, in microseconds. */
export const updatedOf = ({ updatedSeconds, updatedNanos }: DocumentMarks): number =>
  updatedSeconds * 1_000_000 + Math.floor(updatedNanos / 1_000);
export const createdOf = ({ createdSeconds, createdNanos }: DocumentMarks): number =>
  createdSeconds * 1_000_000 + Math.floor(createdNanos / 1_000);
