/**
 * Byte strings in large buffers outside the JavaScript heap, so that a million documents cost the garbage collector nothing.
 * Space is never reused in place: views stay valid until they are dropped.
 */
export class ByteSlabs {
  readonly #buffers: (Buffer | undefined)[] = [];
  /** Live bytes of each slab. */
  readonly #live: number[] = [];
  #current = -1;
  #used = 0;
  /** The position of the last `reserve`. */
  slab = 0;
  offset = 0;
  /** Live bytes of all slabs. */
  liveBytes = 0;

  /** Reserves `length` bytes for the record `id`, to be filled by the caller at `slab` and `offset`. */
  reserve(id: number, length: number): Buffer {
    const needed = headerBytes + length;
    let buffer = this.#buffers[this.#current];
    if (!buffer || this.#used + needed > buffer.length) {
      this.#retire();
      // Slabs start at 64 KiB and double up to 4 MiB, so that small databases use little memory.
      const size = Math.max(needed, Math.min(largestSlabBytes, Math.max(smallestSlabBytes, 2 * (buffer?.length ?? 0))));
      buffer = Buffer.allocUnsafeSlow(size);
      this.#current = this.#buffers.push(buffer) - 1;
      this.#live.push(0);
      this.#used = 0;
    }
    buffer.writeUInt32LE(id, this.#used);
    buffer.writeUInt32LE(length, this.#used + 4);
    this.slab = this.#current;
    this.offset = this.#used + headerBytes;
    this.#used += needed;
    this.#live[this.#current] = (this.#live[this.#current] ?? 0) + needed;
    this.liveBytes += needed;
    return buffer;
  }

  buffer(slab: number): Buffer {
    const buffer = this.#buffers[slab];
    if (!buffer) throw new Error('the slab was released');
    return buffer;
  }

  /** Releases a record's bytes. True if the slab is so empty that it should be evacuated. */
  release(slab: number, length: number): boolean {
    const live = (this.#live[slab] ?? 0) - headerBytes - length;
    this.#live[slab] = live;
    this.liveBytes -= headerBytes + length;
    if (slab === this.#current) return false;
    if (live === 0) this.#buffers[slab] = undefined;
    return live > 0 && live < this.buffer(slab).length / 4;
  }

  /** All records of a slab, live or not, in insertion order. */
  *records(slab: number): Generator<{ readonly id: number; readonly offset: number; readonly length: number }> {
    const buffer = this.buffer(slab);
    for (let at = 0; at + headerBytes <= buffer.length; ) {
      const length = buffer.readUInt32LE(at + 4);
      if (length === endMark) return;
      yield { id: buffer.readUInt32LE(at), offset: at + headerBytes, length };
      at += headerBytes + length;
    }
  }

  /** Marks the end of the current slab's records. */
  #retire(): void {
    const buffer = this.#buffers[this.#current];
    if (!buffer) return;
    if (this.#used + headerBytes <= buffer.length) buffer.writeUInt32LE(endMark, this.#used + 4);
    if (this.#live[this.#current] === 0) this.#buffers[this.#current] = undefined;
  }
}

const headerBytes = 8;
const endMark = 0xffff_ffff;
const smallestSlabBytes = 64 * 1024;
const largestSlabBytes = 4 * 1024 * 1024;
