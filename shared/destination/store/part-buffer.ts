/** Gathers pieces into parts of one exact size: some stores take no others, except for the last. */
export class PartBuffer {
  readonly #partBytes: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(partBytes: number) {
    this.#partBytes = partBytes;
  }

  /** Takes pieces and gives the parts that are full, each in memory of its own. */
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

  /** What has gathered since the last full part. */
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
