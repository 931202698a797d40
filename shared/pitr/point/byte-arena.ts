/**
 * Memory for very many small byte pieces, in few large slabs: a Buffer of its own has more overhead than most documents have bytes,
 * and a slice of a shared Buffer keeps all of it alive.
 */

export interface Piece {
  slab: Slab;
  start: number;
  end: number;
}

interface Slab {
  readonly bytes: Buffer;
  used: number;
  live: number;
}

export class ByteArena {
  readonly slabBytes: number;
  #slabs: Slab[] = [];
  /** Empty slabs for reuse: the garbage collector would free them late. */
  #empty: Buffer[] = [];
  #live = 0;
  #held = 0;

  constructor(slabBytes: number) {
    this.slabBytes = slabBytes;
  }

  /** Allocated bytes that no piece uses. */
  get idleBytes(): number {
    return this.#held - this.#live;
  }

  /** Copies the parts into one piece. */
  put(...parts: readonly Uint8Array[]): Piece {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const slab = this.#room(length);
    const start = slab.used;
    for (const part of parts) {
      slab.bytes.set(part, slab.used);
      slab.used += part.length;
    }
    slab.live += length;
    this.#live += length;
    return { slab, start, end: slab.used };
  }

  drop({ slab, start, end }: Piece): void {
    slab.live -= end - start;
    this.#live -= end - start;
  }

  /** Compacts the pieces, which must be all there are. Emptied slabs are reused. */
  pack(pieces: Iterable<Piece>): void {
    const bySlab = Map.groupBy(pieces, ({ slab }) => slab);
    const before = this.#slabs;
    [this.#slabs, this.#held, this.#live] = [[], 0, 0];
    for (const slab of before) {
      for (const piece of bySlab.get(slab) ?? []) Object.assign(piece, this.put(slab.bytes.subarray(piece.start, piece.end)));
      this.#release(slab);
    }
  }

  /** Drops all pieces; their bytes are overwritten. */
  clear(): void {
    for (const slab of this.#slabs) this.#release(slab);
    [this.#slabs, this.#held, this.#live] = [[], 0, 0];
  }

  #release({ bytes }: Slab): void {
    if (bytes.length === this.slabBytes) this.#empty.push(bytes);
  }

  #room(length: number): Slab {
    const last = this.#slabs.at(-1);
    if (last && last.bytes.length - last.used >= length) return last;
    const empty = length <= this.slabBytes ? this.#empty.pop() : undefined;
    const slab = { bytes: empty ?? Buffer.allocUnsafeSlow(Math.max(this.slabBytes, length)), used: 0, live: 0 };
    this.#slabs.push(slab);
    this.#held += slab.bytes.length;
    return slab;
  }
}
