import { ChangeTally } from '../../anomaly/index.ts';
import {
  ArchiveError,
  ChunkWriter,
  type DocumentMarks,
  type ObjectEntry,
  objectName,
  type ProtobufTimestamp,
  readChunk,
  recordKind,
  type WriterOptions,
} from '../../archive/index.ts';
import { type ObjectStore, StorageError, type Upload } from '../../destination/index.ts';
import { WrittenHistory } from './written-history.ts';

/** Bytes buffered before they are written to the upload. */
const bufferBytes = 1 << 20;
/** A batch up to this size is read back and decrypted; of a larger one only the stored size is checked. */
const readBackBytes = 8 << 20;
export const chunkName = objectName('chunk', 0);

/** Writers of earlier batches, for changes of collections that were found after them. */
export interface EarlierWriters {
  /** The ends of the batches, in microseconds. */
  readonly ends: readonly number[];
  /** Undefined if a change of that time belongs to the batch of the current cycle. */
  readonly writerAt: (at: number) => ChangeBatchWriter | undefined;
  readonly drain: () => Promise<void>;
  /** Returns the name of the last batch. */
  readonly store: (collectionIds: readonly string[]) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

interface BatchOptions extends WriterOptions {
  /** Records the upload durably, so that an orphaned object is found, then opens the store. Not called without a change. */
  readonly openStore: () => Promise<ObjectStore>;
  /** The end of the object's lock, if the destination has object lock. */
  readonly lockedUntil?: Date | undefined;
  readonly signal: AbortSignal;
  /** Changes are counted since this moment. */
  readonly since?: ProtobufTimestamp | undefined;
}

/** Streams the changes of a batch to the store; memory is one leaf and the upload's buffer. Without a change nothing is stored. */
export class ChangeBatchWriter {
  readonly #options: BatchOptions;
  readonly #chunk: ChunkWriter;
  #store: Promise<ObjectStore> | undefined;
  #upload: Upload | undefined;
  /** Serializes writes of concurrent streams; a write fails if the one before failed. */
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** What the changed documents look like. */
  readonly tally: ChangeTally;
  /** Versions and deletions so far. */
  changes = 0;
  /** What a restore will find of them, if that is recorded. */
  history: WrittenHistory | undefined;
  /** The writers of earlier batches, for changes of their time. */
  earlier: EarlierWriters | undefined;

  constructor(options: BatchOptions) {
    this.#options = options;
    this.tally = new ChangeTally(options.since);
    this.#chunk = new ChunkWriter(chunkName, { ...options, ordered: false });
  }

  recordHistory(): WrittenHistory {
    this.history ??= new WrittenHistory();
    return this.history;
  }

  /** Adds a version of a document, as encoded by the source. */
  document(bytes: Uint8Array, start: number, end: number, marks: DocumentMarks): void {
    this.history?.version(asBuffer(bytes).toString('utf8', marks.nameStart, marks.nameEnd), updatedOf(marks));
    const writer = this.earlier?.writerAt(updatedOf(marks)) ?? this;
    writer.#document(bytes, start, end, marks);
  }

  /** Records that a document does not exist from that moment on, in microseconds. */
  tombstone(name: string, since: number): void {
    this.history?.deletion(name, since);
    const writer = this.earlier?.writerAt(since) ?? this;
    writer.#tombstone(name, since);
  }

  /** Writes what is buffered to the upload; slows down a source that is faster than the store. */
  async drain(): Promise<void> {
    await this.earlier?.drain();
    if (this.#chunk.pendingBytes >= bufferBytes) await this.#flush();
  }

  /** Resolves when the object is stored and verified; undefined if nothing changed. */
  async finish(): Promise<ObjectEntry | undefined> {
    if (this.changes === 0) return undefined;
    const entry = this.#chunk.finish();
    await this.#flush();
    const { size } = await (await this.#startUpload()).finish();
    this.#upload = undefined;
    if (size !== entry.size) throw wrongSize(size, entry);
    await this.#verify(await this.#openStore(), entry);
    return entry;
  }

  /** Aborts an unfinished upload. Idempotent, also after a failure. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.earlier?.close();
    const store = await this.#store?.catch(() => undefined);
    await this.#upload?.abort().catch(() => undefined);
    store?.close();
  }

  #document(bytes: Uint8Array, start: number, end: number, marks: DocumentMarks): void {
    this.#chunk.document(bytes, start, end, marks);
    this.tally.observe(asBuffer(bytes), start, end, marks);
    this.changes += 1;
  }

  #tombstone(name: string, since: number): void {
    const bytes = Buffer.from(name);
    const seconds = Math.floor(since / 1_000_000);
    const updated = { updatedSeconds: seconds, updatedNanos: (since - seconds * 1_000_000) * 1_000 };
    const marks = { nameStart: 0, nameEnd: bytes.length, createdSeconds: 0, createdNanos: 0, ...updated };
    this.#chunk.record(recordKind.tombstone, bytes, marks, 0, 0);
    this.changes += 1;
  }

  #flush(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      const upload = await this.#startUpload();
      await upload.write(this.#chunk.take());
    });
    return this.#writing;
  }

  #openStore(): Promise<ObjectStore> {
    this.#store ??= this.#options.openStore();
    return this.#store;
  }

  async #startUpload(): Promise<Upload> {
    if (this.#isClosed) throw new Error('the batch is closed');
    const store = await this.#openStore();
    if (this.#isClosed) throw new Error('the batch is closed');
    const { lockedUntil, signal } = this.#options;
    this.#upload ??= store.upload(chunkName, { ...(lockedUntil && { lockedUntil }), signal });
    return this.#upload;
  }

  /** Resume tokens advance with the batch, so that an unreadable batch would be lost. */
  async #verify(store: ObjectStore, entry: ObjectEntry): Promise<void> {
    const { identity, dataKey, signal } = this.#options;
    if (entry.size > readBackBytes) {
      const { size = 0 } = (await store.head(entry.name, signal)) ?? {};
      if (size !== entry.size) throw wrongSize(size, entry);
      return;
    }
    try {
      const bytes = await store.get(entry.name, { offset: 0, length: entry.size }, signal);
      for await (const { leaf } of readChunk([bytes], { identity, name: entry.name, dataKey, entry })) void leaf;
    } catch (cause) {
      if (!(cause instanceof ArchiveError)) throw cause;
      throw new StorageError('invalid', `The stored object differs from the bytes sent: ${cause.message}`, { cause });
    }
  }
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const wrongSize = (size: number, entry: ObjectEntry): StorageError =>
  new StorageError('invalid', `The stored object has ${size} bytes instead of ${entry.size}.`);

/** The update time of a record, in microseconds. */
export const updatedOf = ({ updatedSeconds, updatedNanos }: DocumentMarks): number =>
  updatedSeconds * 1_000_000 + Math.floor(updatedNanos / 1_000);
export const createdOf = ({ createdSeconds, createdNanos }: DocumentMarks): number =>
  createdSeconds * 1_000_000 + Math.floor(createdNanos / 1_000);
