import { createHash } from 'node:crypto';
import { asBuffer } from './bytes.ts';

/** Bytes in pieces of any size. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Buffers pieces into runs of the requested size; reads at most one piece ahead. */
export class ByteQueue {
  readonly #pieces: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  readonly #hash = createHash('sha256');
  #held: Buffer[] = [];
  #isOver = false;
  /** Bytes received so far, and those not yet taken. */
  received = 0;
  heldBytes = 0;

  constructor(source: ByteSource) {
    this.#pieces = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  }

  /** True once `length` bytes are buffered, false if the source ends first. */
  async has(length: number): Promise<boolean> {
    while (this.heldBytes < length && !this.#isOver) {
      const { done, value } = await this.#pieces.next();
      if (done) this.#isOver = true;
      else if (value.length > 0) this.#hold(asBuffer(value));
    }
    return this.heldBytes >= length;
  }

  #hold(piece: Buffer): void {
    this.#hash.update(piece);
    this.#held.push(piece);
    this.heldBytes += piece.length;
    this.received += piece.length;
  }

  /** Up to `length` bytes from the front, without taking them. */
  peek(length: number): Buffer {
    const [first] = this.#held;
    if (first && first.length >= length) return first.subarray(0, length);
    const all = this.#held.length === 1 && first ? first : Buffer.concat(this.#held);
    this.#held = all.length > 0 ? [all] : [];
    return all.subarray(0, length);
  }

  take(length: number): Buffer {
    const taken = this.peek(length);
    const [first] = this.#held;
    if (taken.length !== length || !first) throw new RangeError(`${length} bytes are not buffered`);
    if (first.length === length) this.#held.shift();
    else this.#held[0] = first.subarray(length);
    this.heldBytes -= length;
    return taken;
  }

  sha256(): Buffer {
    return this.#hash.copy().digest();
  }

  /** Tells the source that no more bytes are needed. */
  async close(): Promise<void> {
    if (!this.#isOver) await this.#pieces.return?.();
    this.#isOver = true;
  }
}
