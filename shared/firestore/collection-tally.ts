import { compareFrom, NameRun } from '../archive/index.ts';
import type { DocumentBatch } from './document-batch.ts';
import { SourceError } from './error.ts';

/**
 * Watches the names go by: each must come after the one before, so a source that repeats or skips back is noticed, and every
 * document is counted for the collection it is in, by that collection's id alone.
 */
export class CollectionTally {
  readonly counts = new Map<string, number>();
  /** The full name of the last document; undefined before the first. */
  lastName: Buffer | undefined;
  #collection = '';
  #run = 0;
  readonly #names = new NameRun();
  /** Where the last name's own id begins. */
  #idStart = 0;

  constructor(after?: Uint8Array) {
    if (after) this.lastName = Buffer.from(after);
  }

  add(batch: DocumentBatch): void {
    const { bytes, count } = batch;
    let before: Uint8Array = this.lastName ?? none;
    let beforeStart = 0;
    let beforeEnd = before.length;
    for (let i = 0; i < count; i++) {
      const start = batch.nameStart(i);
      const end = batch.nameEnd(i);
      const shared = this.#names.shared(before, beforeStart, beforeEnd, bytes, start, end);
      if (beforeEnd > beforeStart && compareFrom(before, beforeStart, beforeEnd, bytes, start, end, shared) >= 0)
        throw new SourceError('INTERNAL_ERROR', 'The source did not send its documents in the order of their names.');
      this.#count(bytes, start, end, shared);
      before = bytes;
      beforeStart = start;
      beforeEnd = end;
    }
    this.#settle();
    if (count > 0) this.lastName = Buffer.from(batch.nameBytes(count - 1));
  }

  #count(bytes: Buffer, start: number, end: number, shared: number): void {
    let idStart = end;
    while (idStart > start && bytes[idStart - 1] !== slash) idStart--;
    // The same path up to the id: the same collection, as of nearly every document.
    if (idStart - start !== this.#idStart || shared < this.#idStart || this.#run === 0) {
      this.#settle();
      let from = idStart - 1;
      while (from > start && bytes[from - 1] !== slash) from--;
      this.#collection = bytes.toString('utf8', from, idStart - 1);
      this.#idStart = idStart - start;
    }
    this.#run += 1;
  }

  #settle(): void {
    if (this.#run > 0) this.counts.set(this.#collection, (this.counts.get(this.#collection) ?? 0) + this.#run);
    this.#run = 0;
  }
}

const none = new Uint8Array();
const slash = 0x2f;
