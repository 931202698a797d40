import {
  ChunkWriter,
  type DocumentMarks,
  type ObjectEntry,
  objectName,
  recordKind,
  type WriterOptions,
} from '../archive/index.ts';
import { StorageError, type Store, type Upload } from '../destination/index.ts';

/** Bytes gathered before the upload is given them. */
const handOverBytes = 1 << 20;
export const chunkName = objectName('chunk', 0);

export interface BatchOptions extends WriterOptions {
  /** Says durably that an object may be left behind, then opens the store: without a change there is no need of one. */
  readonly openStore: () => Promise<Store>;
  readonly signal: AbortSignal;
}

/** Writes the changes of a batch as they are found; memory is that of a leaf and of what the upload holds. Without a change nothing is stored. */
export class BatchWriter {
  readonly #options: BatchOptions;
  readonly #chunk: ChunkWriter;
  #store: Store | undefined;
  #upload: Upload | undefined;
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
  async rest(): Promise<void> {
    if (this.#chunk.pendingBytes < handOverBytes) return;
    await (await this.#begun()).write(this.#chunk.take());
  }

  /** Resolves when the object is stored with the very size that was written; undefined if nothing changed. */
  async finish(): Promise<ObjectEntry | undefined> {
    if (this.changes === 0) return undefined;
    const entry = this.#chunk.finish();
    const upload = await this.#begun();
    await upload.write(this.#chunk.take());
    const { size } = await upload.finish();
    this.#upload = undefined;
    if (size !== entry.size) throw new StorageError('invalid', `The store has ${size} bytes where ${entry.size} were sent.`);
    return entry;
  }

  /** Leaves nothing unfinished behind. Safe after a failure, and twice. */
  async close(): Promise<void> {
    await this.#upload?.abort().catch(() => undefined);
    this.#store?.close();
  }

  async #begun(): Promise<Upload> {
    const { openStore, signal } = this.#options;
    this.#store ??= await openStore();
    this.#upload ??= this.#store.upload(chunkName, { signal });
    return this.#upload;
  }
}

/** When a record was written, in microseconds. */
export const updatedOf = ({ updatedSeconds, updatedNanos }: DocumentMarks): number =>
  updatedSeconds * 1_000_000 + Math.floor(updatedNanos / 1_000);
export const createdOf = ({ createdSeconds, createdNanos }: DocumentMarks): number =>
  createdSeconds * 1_000_000 + Math.floor(createdNanos / 1_000);
