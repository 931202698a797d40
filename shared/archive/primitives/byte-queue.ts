import { createHash } from 'node:crypto';
import { asBuffer } from './bytes.ts';

/** Bytes as they arrive, in whatever pieces, held only until they are taken. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Turns pieces of any size into runs of the wanted size; never reads further ahead than one piece. */
export class ByteQueue {
  readonly #pieces: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  readonly #hash = createHash('sha256');
  #held: Buffer[] = [];
  #isOver = false;
  /** Bytes that came so far, and those of them that were not taken. */
  received = 0;
  heldBytes = 0;

  constructor(source: ByteSource) {
    this.#pieces = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  }

  /** True once that many bytes are here, false if the source ends before. */
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

  /** Up to `length` bytes from the front, which stay. */
  peek(length: number): Buffer {
    const [first] = this.#held;
    if (first && first.length >= length) return first.subarray(0, length);
    const all = this.#held.length === 1 && first ? first : Buffer.concat(this.#held);
    this.#held = all.length > 0 ? [all] : [];
    return all.subarray(0, length);
  }

  /** `length` bytes, which must be here. */
  take(length: number): Buffer {
    const taken = this.peek(length);
    const [first] = this.#held;
    if (taken.length !== length || !first) throw new RangeError(`${length} bytes are not here`);
    if (first.length === length) this.#held.shift();
    else this.#held[0] = first.subarray(length);
    this.heldBytes -= length;
    return taken;
  }

  /** The SHA-256 of all that came. */
  sha256(): Buffer {
    return this.#hash.copy().digest();
  }

  /** Lets the source know that no more is wanted. */
  async close(): Promise<void> {
    if (!this.#isOver) await this.#pieces.return?.();
    this.#isOver = true;
  }
}
