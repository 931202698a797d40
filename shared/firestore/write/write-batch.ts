import { ByteWriter } from '../wire/byte-writer.ts';
import { text } from '../wire/small-messages.ts';
import type { Condition } from './precondition.ts';
import type { WriteEncoder, WriteMode } from './write-encoder.ts';

/** How much one request may hold. */
export interface BatchLimit {
  readonly writes: number;
  readonly bytes: number;
}

/** The service takes 500 writes, and 10 MiB; half of that costs no speed and bounds the memory of what is under way. */
export const batchLimit: BatchLimit = { writes: 500, bytes: 5 << 20 };

/** Beyond this the service refuses a request whatever it holds: 10 MiB less room for what is around the writes. */
export const requestBytesMax = (10 << 20) - 4_096;

/** What is kept of a write beside its bytes. */
interface Slot {
  readonly mode: WriteMode;
  readonly condition: Condition | undefined;
  readonly start: number;
  readonly end: number;
  readonly documentStart: number;
  readonly documentEnd: number;
  readonly name: string;
}

/** Encoded writes of different documents, each in its slot until it is settled; any of them make a request. */
export class WriteBatch {
  readonly #limit: BatchLimit;
  readonly #sink: ByteWriter;
  readonly #slots: Slot[] = [];
  /** How often each was sent and came back to be sent again. */
  readonly attempts: Uint8Array;
  /** Whether an earlier try of each may have been applied without our knowing. */
  readonly isUnsure: Uint8Array;
  /** Writes of which it is not known yet what became. */
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

  /** One write always has room, however large it is. */
  hasRoomFor(write: WriteEncoder): boolean {
    return this.count === 0 || (!this.isFull && this.#sink.length + write.sink.length <= this.#limit.bytes);
  }

  /** Copies the write into a slot. */
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

  mode(slot: number): WriteMode {
    return this.#slot(slot).mode;
  }

  condition(slot: number): Condition | undefined {
    return this.#slot(slot).condition;
  }

  /** The document's full name. */
  name(slot: number): string {
    return this.#slot(slot).name;
  }

  /** The encoded document, as it is sent. */
  document(slot: number): Buffer {
    const { documentStart, documentEnd } = this.#slot(slot);
    return this.#sink.bytes.subarray(documentStart, documentEnd);
  }

  /** An encoded google.firestore.v1.BatchWriteRequest of these slots, in pieces that are views of what this holds. */
  request(database: string, slots: readonly number[]): readonly Buffer[] {
    const { bytes } = this.#sink;
    const parts: Buffer[] = [text(1, database)];
    // Neighbours are one piece.
    for (let i = 0; i < slots.length; ) {
      const { start, end: first } = this.#slot(slots[i] ?? 0);
      let end = first;
      for (i += 1; i < slots.length && this.#slot(slots[i] ?? 0).start === end; i++) end = this.#slot(slots[i] ?? 0).end;
      parts.push(bytes.subarray(start, end));
    }
    return parts;
  }

  /** Makes it empty, to be filled again in the same memory. */
  clear(): void {
    this.#slots.length = 0;
    this.#sink.length = 0;
    this.attempts.fill(0);
    this.isUnsure.fill(0);
  }

  #slot(slot: number): Slot {
    const found = this.#slots[slot];
    if (!found) throw new RangeError(`there is no write ${slot}`);
    return found;
  }
}
