/** Joins pieces into parts of exactly one size, as some stores require for all parts except the last. */
export class PartBuffer {
  readonly #partBytes: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(partBytes: number) {
    this.#partBytes = partBytes;
  }

  /** Adds pieces and yields the parts that are full, each in its own memory. */
  *add(pieces: readonly Uint8Array[]): Generator<Buffer> {
    for (const piece of pieces) {
      let rest = piece;
      while (this.#bytes + rest.length >= this.#partBytes) {
        const taken = this.#partBytes - this.#bytes;
        this.#push(rest.subarray(0, taken));
        rest = rest.subarray(taken);
        yield this.rest();
      }
      this.#push(rest);
    }
  }

  /** The bytes since the last full part. */
  rest(): Buffer {
    const part = Buffer.concat(this.#pieces, this.#bytes);
    this.#pieces = [];
    this.#bytes = 0;
    return part;
  }

  #push(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }
}
