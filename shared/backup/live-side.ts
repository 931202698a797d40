import {
  type DocumentBatch,
  type NameRange,
  type RangeReader,
  type RawDocument,
  readRange,
  type Source,
} from '../firestore/index.ts';
import type { TargetSide } from './side.ts';

/** The database as it was at the read time, range by range. Every document that is sent is billed as a read. */
export class LiveSide implements TargetSide {
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

  constructor(source: Source, scope: readonly NameRange[], at: LiveOptions) {
    this.#rootBytes = Buffer.byteLength(source.root) + 1;
    this.#batches = this.#read(source, scope, at);
  }

  get reads(): number {
    return this.#readsBefore + (this.#reader?.reads ?? 0);
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

  async *#read(source: Source, scope: readonly NameRange[], at: LiveOptions): AsyncGenerator<DocumentBatch, void, undefined> {
    for (const range of scope) {
      this.#readsBefore = this.reads;
      this.#reader = readRange(source, {
        readTime: at.readTime,
        signal: at.signal,
        range,
        batchBytes: at.batchBytes ?? fewBytes,
      });
      yield* this.#reader;
    }
  }
}

export interface LiveOptions {
  readonly readTime: string;
  readonly signal: AbortSignal;
  /** About this much is taken at once: of what nobody looks at, more than this may have been sent, and billed. */
  readonly batchBytes?: number;
}

/** Little beyond what is compared. */
const fewBytes = 64 << 10;
