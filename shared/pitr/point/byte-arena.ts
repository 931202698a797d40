/**
 * Memory for very many small pieces of bytes that come and go: held in few large blocks, since a piece of its own costs more than
 * most documents have, and one within a block that others share keeps all of it.
 */

/** Where a piece lies. */
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
  /** Blocks that are empty, for whoever comes next: what is given back to the system is given back late. */
  #empty: Buffer[] = [];
  #live = 0;
  #held = 0;

  constructor(slabBytes: number) {
    this.slabBytes = slabBytes;
  }

  /** What is held beyond the pieces that are there. */
  get idleBytes(): number {
    return this.#held - this.#live;
  }

  /** Copies the parts, one behind the other. */
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

  /** Moves the pieces, which must be all there are, together; a block is used again as soon as it is empty. */
  pack(pieces: Iterable<Piece>): void {
    const bySlab = Map.groupBy(pieces, ({ slab }) => slab);
    const before = this.#slabs;
    [this.#slabs, this.#held, this.#live] = [[], 0, 0];
    for (const slab of before) {
      for (const piece of bySlab.get(slab) ?? []) Object.assign(piece, this.put(slab.bytes.subarray(piece.start, piece.end)));
      this.#letGo(slab);
    }
  }

  /** Forgets all pieces: their bytes are written over. */
  clear(): void {
    for (const slab of this.#slabs) this.#letGo(slab);
    [this.#slabs, this.#held, this.#live] = [[], 0, 0];
  }

  #letGo({ bytes }: Slab): void {
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
