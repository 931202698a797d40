/**
 * Byte strings in large buffers outside JavaScript's heap, so that a million documents cost the collector nothing.
 * Space is never reused in place: views handed out stay true until the last of them is dropped.
 */
export class Slabs {
  readonly #buffers: (Buffer | undefined)[] = [];
  /** Bytes still wanted in each slab. */
  readonly #live: number[] = [];
  #current = -1;
  #used = 0;
  /** Where the last `reserve` put its bytes. */
  slab = 0;
  offset = 0;
  /** Bytes wanted over all slabs. */
  liveBytes = 0;

  /** Room for `length` bytes of the record `id`, to be filled by the caller at `slab` and `offset`. */
  reserve(id: number, length: number): Buffer {
    const needed = headerBytes + length;
    let buffer = this.#buffers[this.#current];
    if (!buffer || this.#used + needed > buffer.length) {
      this.#retire();
      // Small databases take little: slabs begin at 64 KiB and double up to 4 MiB.
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
    if (!buffer) throw new Error('that slab was released');
    return buffer;
  }

  /** Gives up a record's bytes; true if so few of its slab are left that moving them out frees it. */
  release(slab: number, length: number): boolean {
    const live = (this.#live[slab] ?? 0) - headerBytes - length;
    this.#live[slab] = live;
    this.liveBytes -= headerBytes + length;
    if (slab === this.#current) return false;
    if (live === 0) this.#buffers[slab] = undefined;
    return live > 0 && live < this.buffer(slab).length / 4;
  }

  /** The records of a slab, wanted or not, in the order they came. */
  *records(slab: number): Generator<{ readonly id: number; readonly offset: number; readonly length: number }> {
    const buffer = this.buffer(slab);
    for (let at = 0; at + headerBytes <= buffer.length; ) {
      const length = buffer.readUInt32LE(at + 4);
      if (length === endMark) return;
      yield { id: buffer.readUInt32LE(at), offset: at + headerBytes, length };
      at += headerBytes + length;
    }
  }

  /** Marks where the current slab's records end. */
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
