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

/** What was read of a database, end to end: as many documents as it must have there. */
export interface ScannedRange {
  readonly range: NameRange;
  readonly documents: number;
  /** Ids of the collections that they were found in. */
  readonly collectionIds: Iterable<string>;
}

/**
 * The database as it was at the read time, range by range. Every document that is sent is billed as a read. That a stream ended
 * does not prove that it was whole: whoever takes a document for absent has the stretches counted first.
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
  /** One serves for all documents. */
  #marks: RawDocument | undefined;
  readonly #rootLength: number;
  /** Read to their ends, and what is under way: its range from where it is not counted yet, and the documents before that. */
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

  /** All that was read and is not counted yet, up to the last document that was sent. */
  get uncounted(): readonly ScannedRange[] {
    const [open, reader, end] = [this.#open, this.#reader, this.#end];
    if (!open || !reader || end === undefined) return this.#ended;
    const { range, before } = open;
    return [
      ...this.#ended,
      { range: { ...range, to: end }, documents: reader.documents - before, collectionIds: reader.collections.keys() },
    ];
  }

  /** Says that all of `uncounted` is counted. */
  markCounted(): void {
    const [open, reader, end] = [this.#open, this.#reader, this.#end];
    this.#ended = [];
    if (open && reader && end !== undefined) this.#open = { range: { ...open.range, from: end }, before: reader.documents };
  }

  /** Up to where the range under way was read; undefined if nothing of it has come. */
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
    if (!batch || !marks) throw new RangeError('there is no document here');
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
      const { readTime, signal, batchBytes = fewBytes } = at;
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
  /** About this much is taken at once: of what nobody looks at, more than this may have been sent, and billed. */
  readonly batchBytes?: number;
}

/** Little beyond what is compared. */
const fewBytes = 64 << 10;
