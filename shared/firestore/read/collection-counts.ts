import { compareFrom, SharedPrefix } from '../../archive/index.ts';
import { SourceError } from '../grpc/source-error.ts';
import type { DocumentBatch } from './document-batch.ts';

/**
 * Checks that names ascend, so that a source that repeats or goes back is detected, and counts documents by the id of their
 * collection.
 */
export class CollectionCounts {
  readonly counts = new Map<string, number>();
  /** Full name of the last document; undefined before the first. */
  lastName: Buffer | undefined;
  /** Size of the counts as JSON. */
  #countBytes = 0;
  readonly #countBytesMax: number;
  #collection = '';
  #run = 0;
  readonly #prefix = new SharedPrefix();
  /** Start of the document id in the last name. */
  #idStart = 0;

  constructor(after?: Uint8Array, countBytesMax = Number.POSITIVE_INFINITY) {
    if (after) this.lastName = Buffer.from(after);
    this.#countBytesMax = countBytesMax;
  }

  /**
   * Returns how many documents of the batch were taken: all, or those before the first of a new collection once the counts have
   * reached their maximum size.
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
      const shared = this.#prefix.length(before, beforeStart, beforeEnd, bytes, start, end);
      if (beforeEnd > beforeStart && compareFrom(before, beforeStart, beforeEnd, bytes, start, end, shared) >= 0)
        throw new SourceError('INTERNAL_ERROR', 'The source sent documents out of name order.');
      if (!this.#count(bytes, start, end, shared)) break;
      before = bytes;
      beforeStart = start;
      beforeEnd = end;
    }
    this.#settle();
    if (taken > 0) this.lastName = Buffer.from(batch.nameBytes(taken - 1));
    return taken;
  }

  /** False if there is no room for a new collection. */
  #count(bytes: Buffer, start: number, end: number, shared: number): boolean {
    let idStart = end;
    while (idStart > start && bytes[idStart - 1] !== slash) idStart--;
    // Fast path: the same collection as the previous document.
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

/** The JSON size of a collection count at its maximum; ids may contain characters that JSON escapes. */
export const countBytes = (id: string): number => Buffer.byteLength(JSON.stringify([id, Number.MAX_SAFE_INTEGER])) + 1;

const none = new Uint8Array();
const slash = 0x2f;
