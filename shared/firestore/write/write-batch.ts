import { ByteWriter } from '../wire/byte-writer.ts';
import { textField } from '../wire/small-messages.ts';
import type { Condition } from './precondition.ts';
import type { WriteEncoder, WriteMode } from './write-encoder.ts';

/** Limits of a request. */
export interface BatchLimit {
  readonly writes: number;
  readonly bytes: number;
}

/** Firestore accepts 500 writes and 10 MiB. Half of the bytes costs no speed and bounds memory. */
export const batchLimit: BatchLimit = { writes: 500, bytes: 5 << 20 };

/** Firestore rejects larger requests: 10 MiB minus room for the envelope. */
export const requestBytesMax = (10 << 20) - 4_096;

/** Metadata of a write. */
interface Slot {
  readonly mode: WriteMode;
  readonly condition: Condition | undefined;
  readonly start: number;
  readonly end: number;
  readonly documentStart: number;
  readonly documentEnd: number;
  readonly name: string;
}

/** Encoded writes of different documents, each in a slot until it is settled. A request consists of any of them. */
export class WriteBatch {
  readonly #limit: BatchLimit;
  readonly #sink: ByteWriter;
  readonly #slots: Slot[] = [];
  /** Number of repeated attempts per slot. */
  readonly attempts: Uint8Array;
  /** Whether an earlier attempt may have been applied, per slot. */
  readonly isUnsure: Uint8Array;
  /** Writes with unknown outcome. */
  open = 0;

  constructor(limit: BatchLimit = batchLimit) {
    this.#limit = limit;
    this.#sink = new ByteWriter(Math.min(limit.bytes, 1 << 20));
    this.attempts = new Uint8Array(limit.writes);
    this.isUnsure = new Uint8Array(limit.writes);
  }

  get count(): number {
    return this.#slots.length;
  }

  get isFull(): boolean {
    return this.count >= this.#limit.writes;
  }

  /** An empty batch takes any write, whatever its size. */
  hasRoomFor(write: WriteEncoder): boolean {
    return this.count === 0 || (!this.isFull && this.#sink.length + write.sink.length <= this.#limit.bytes);
  }

  /** Copies the write into the next slot. */
  add(write: WriteEncoder, name: string, isUnsure: boolean): void {
    const start = this.#sink.length;
    this.#sink.copy(write.sink.bytes, 0, write.sink.length);
    this.#slots.push({
      mode: write.mode,
      condition: write.condition,
      start,
      end: this.#sink.length,
      documentStart: start + write.documentStart,
      documentEnd: start + write.documentEnd,
      name,
    });
    if (isUnsure) this.isUnsure[this.count - 1] = 1;
    this.open += 1;
  }

  slot(slot: number): Slot {
    const found = this.#slots[slot];
    if (!found) throw new RangeError(`write ${slot} does not exist in the batch`);
    return found;
  }

  document(slot: number): Buffer {
    const { documentStart, documentEnd } = this.slot(slot);
    return this.#sink.bytes.subarray(documentStart, documentEnd);
  }

  /** Encodes a google.firestore.v1.BatchWriteRequest of these slots as views of this batch. */
  request(database: string, slots: readonly number[]): readonly Buffer[] {
    const { bytes } = this.#sink;
    const parts: Buffer[] = [textField(1, database)];
    // Adjacent slots form one piece.
    for (let i = 0; i < slots.length; ) {
      const { start, end: first } = this.slot(slots[i] ?? 0);
      let end = first;
      for (i += 1; i < slots.length && this.slot(slots[i] ?? 0).start === end; i++) end = this.slot(slots[i] ?? 0).end;
      parts.push(bytes.subarray(start, end));
    }
    return parts;
  }

  /** Empties the batch for reuse. */
  clear(): void {
    this.#slots.length = 0;
    this.#sink.length = 0;
    this.attempts.fill(0);
    this.isUnsure.fill(0);
  }
}
