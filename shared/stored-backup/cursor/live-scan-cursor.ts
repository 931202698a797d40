import {
  type DocumentBatch,
  type FirestoreDatabase,
  justAfter,
  type NameRange,
  type RangeReader,
  type RawDocument,
  readRange,
} from '../../firestore/index.ts';
import type { TargetCursor } from './document-cursor.ts';

/** A range that was read completely, with the number of documents the database must report for it. */
export interface ScannedRange {
  readonly range: NameRange;
  readonly documents: number;
  readonly collectionIds: Iterable<string>;
}

/**
 * Scans the database at the read time, range by range. Every document sent is billed as a read. A stream that ended normally may
 * still be incomplete: before treating a document as absent, compare `uncounted` with the database's own count.
 */
export class LiveScanCursor implements TargetCursor {
  name: Buffer | undefined;
  seconds = 0;
  nanos = 0;
  readonly #rootBytes: number;
  readonly #batches: AsyncGenerator<DocumentBatch, void, undefined>;
  #reader: RangeReader | undefined;
  #readsBefore = 0;
  #batch: DocumentBatch | undefined;
  #index = 0;
  #marks: RawDocument | undefined;
  readonly #rootLength: number;
  /** Ranges read to their ends, and the current one: its uncounted rest, and the documents before that. */
  #ended: ScannedRange[] = [];
  #open: { readonly range: NameRange; readonly before: number } | undefined;

  constructor(source: FirestoreDatabase, scope: readonly NameRange[], at: LiveReadOptions) {
    this.#rootBytes = Buffer.byteLength(source.root) + 1;
    this.#rootLength = source.root.length + 1;
    this.#batches = this.#read(source, scope, at);
  }

  get reads(): number {
    return this.#readsBefore + (this.#reader?.reads ?? 0);
  }

  /** Everything read but not counted yet, up to the last document sent. */
  get uncounted(): readonly ScannedRange[] {
    const [open, reader, end] = [this.#open, this.#reader, this.#end];
    if (!open || !reader || end === undefined) return this.#ended;
    const { range, before } = open;
    return [
      ...this.#ended,
      { range: { ...range, to: end }, documents: reader.documents - before, collectionIds: reader.collections.keys() },
    ];
  }

  /** Marks all of `uncounted` as counted. */
  markCounted(): void {
    const [open, reader, end] = [this.#open, this.#reader, this.#end];
    this.#ended = [];
    if (open && reader && end !== undefined) this.#open = { range: { ...open.range, from: end }, before: reader.documents };
  }

  /** How far the current range was read; undefined if no document has arrived. */
  get #end(): string | undefined {
    const last = this.#reader?.lastName;
    return last === undefined ? undefined : justAfter(last.slice(this.#rootLength));
  }

  step(): boolean {
    const batch = this.#batch;
    if (!batch || ++this.#index >= batch.count) return false;
    this.#marks = batch.at(this.#index, this.#marks);
    const { updatedSeconds, updatedNanos, nameStart, nameEnd } = this.#marks;
    this.name = batch.bytes.subarray(nameStart + this.#rootBytes, nameEnd);
    this.seconds = updatedSeconds;
    this.nanos = updatedNanos;
    return true;
  }

  async load(): Promise<void> {
    for (let next = await this.#batches.next(); !next.done; next = await this.#batches.next()) {
      this.#batch = next.value;
      this.#index = -1;
      if (this.step()) return;
    }
    this.#batch = undefined;
    this.name = undefined;
  }

  document(): Uint8Array {
    const [batch, marks] = [this.#batch, this.#marks];
    if (!batch || !marks) throw new RangeError('the cursor is not at a document');
    return batch.bytes.subarray(marks.start, marks.end);
  }

  async content(): Promise<Uint8Array> {
    return this.document();
  }

  async close(): Promise<void> {
    await this.#batches.return();
  }

  async *#read(
    source: FirestoreDatabase,
    scope: readonly NameRange[],
    at: LiveReadOptions,
  ): AsyncGenerator<DocumentBatch, void, undefined> {
    for (const range of scope) {
      this.#readsBefore = this.reads;
      const { readTime, signal, batchBytes = defaultBatchBytes } = at;
      const reader = readRange(source, { readTime, signal, range, batchBytes });
      this.#reader = reader;
      this.#open = { range, before: 0 };
      yield* reader;
      const { range: rest, before } = this.#open;
      const [documents, collectionIds] = [reader.documents - before, [...reader.collections.keys()]];
      this.#ended.push({ range: rest, documents, collectionIds });
      this.#open = undefined;
    }
  }
}

export interface LiveReadOptions {
  readonly readTime: string;
  readonly signal: AbortSignal;
  /** About how much is fetched at once. Documents that are fetched but never visited are billed, too. */
  readonly batchBytes?: number;
}

/** Small, to fetch little beyond the compared documents. */
const defaultBatchBytes = 64 << 10;
