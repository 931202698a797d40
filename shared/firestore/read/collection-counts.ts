import { compareFrom, SharedPrefix } from '../../archive/index.ts';
import { SourceError } from '../grpc/source-error.ts';
import type { DocumentBatch } from './document-batch.ts';

/**
 * Watches the names go by: each must come after the one before, so a source that repeats or skips back is noticed, and every
 * document is counted for the collection it is in, by that collection's id alone.
 */
export class CollectionCounts {
  readonly counts = new Map<string, number>();
  /** The full name of the last document; undefined before the first. */
  lastName: Buffer | undefined;
  /** Of the counts, as JSON. */
  #countBytes = 0;
  readonly #countBytesMax: number;
  #collection = '';
  #run = 0;
  readonly #names = new SharedPrefix();
  /** Where the last name's own id begins. */
  #idStart = 0;

  constructor(after?: Uint8Array, countBytesMax = Number.POSITIVE_INFINITY) {
    if (after) this.lastName = Buffer.from(after);
    this.#countBytesMax = countBytesMax;
  }

  /**
   * How many documents of the batch were taken: all of them, or those before the first of a collection that is not counted yet,
   * if the counts have as many bytes already as they may have.
   */
  add(batch: DocumentBatch): number {
    const { bytes, count } = batch;
    let taken = 0;
    let before: Uint8Array = this.lastName ?? none;
    let beforeStart = 0;
    let beforeEnd = before.length;
    for (; taken < count; taken++) {
      const start = batch.nameStart(taken);
      const end = batch.nameEnd(taken);
      const shared = this.#names.length(before, beforeStart, beforeEnd, bytes, start, end);
      if (beforeEnd > beforeStart && compareFrom(before, beforeStart, beforeEnd, bytes, start, end, shared) >= 0)
        throw new SourceError('INTERNAL_ERROR', 'The source did not send its documents in the order of their names.');
      if (!this.#count(bytes, start, end, shared)) break;
      before = bytes;
      beforeStart = start;
      beforeEnd = end;
    }
    this.#settle();
    if (taken > 0) this.lastName = Buffer.from(batch.nameBytes(taken - 1));
    return taken;
  }

  /** False if there is no room for its collection. */
  #count(bytes: Buffer, start: number, end: number, shared: number): boolean {
    let idStart = end;
    while (idStart > start && bytes[idStart - 1] !== slash) idStart--;
    // The same path up to the id: the same collection, as of nearly every document.
    if (idStart - start !== this.#idStart || shared < this.#idStart || this.#run === 0) {
      this.#settle();
      let from = idStart - 1;
      while (from > start && bytes[from - 1] !== slash) from--;
      this.#collection = bytes.toString('utf8', from, idStart - 1);
      this.#idStart = idStart - start;
      if (!this.#hasRoom()) return false;
    }
    this.#run += 1;
    return true;
  }

  #hasRoom(): boolean {
    if (this.counts.has(this.#collection)) return true;
    if (this.#countBytes >= this.#countBytesMax) return false;
    this.#countBytes += countBytes(this.#collection);
    this.counts.set(this.#collection, 0);
    return true;
  }

  #settle(): void {
    if (this.#run > 0) this.counts.set(this.#collection, (this.counts.get(this.#collection) ?? 0) + this.#run);
    this.#run = 0;
  }
}

/** What the count of a collection takes as JSON among others, whatever it comes to: an id may hold what JSON spells out. */
export const countBytes = (id: string): number => Buffer.byteLength(JSON.stringify([id, Number.MAX_SAFE_INTEGER])) + 1;

const none = new Uint8Array();
const slash = 0x2f;
