import type { Micros } from '../base/types.ts';
import { ByteSlabs } from './byte-slabs.ts';

/** No version. */
export const none = -1;

/** All versions of all documents. A version points to its predecessor; one without bytes is a deletion. */
export class VersionTable {
  readonly #slabs = new ByteSlabs();
  #created = new Float64Array(firstCapacity);
  #updated = new Float64Array(firstCapacity);
  #slab = new Int32Array(firstCapacity);
  #offset = new Uint32Array(firstCapacity);
  #length = new Uint32Array(firstCapacity);
  #older = new Int32Array(firstCapacity);
  #count = 0;
  #free = none;

  get liveBytes(): number {
    return this.#slabs.liveBytes;
  }

  /** Adds a version; `fill` writes its `length` bytes into the buffer at the offset. */
  add(created: Micros, updated: Micros, older: number, length: number, fill: (buffer: Buffer, offset: number) => void): number {
    const id = this.#take();
    const buffer = this.#slabs.reserve(id, length);
    this.#created[id] = created;
    this.#updated[id] = updated;
    this.#older[id] = older;
    this.#slab[id] = this.#slabs.slab;
    this.#offset[id] = this.#slabs.offset;
    this.#length[id] = length;
    fill(buffer, this.#slabs.offset);
    return id;
  }

  /** Adds a deletion. */
  addDeletion(updated: Micros, older: number): number {
    const id = this.#take();
    this.#created[id] = 0;
    this.#updated[id] = updated;
    this.#older[id] = older;
    this.#slab[id] = none;
    this.#length[id] = 0;
    return id;
  }

  created(id: number): Micros {
    return this.#created[id] ?? 0;
  }

  updated(id: number): Micros {
    return this.#updated[id] ?? 0;
  }

  older(id: number): number {
    return this.#older[id] ?? none;
  }

  setOlder(id: number, older: number): void {
    this.#older[id] = older;
  }

  isDeletion(id: number): boolean {
    return this.#slab[id] === none;
  }

  buffer(id: number): Buffer {
    return this.#slabs.buffer(this.#slab[id] ?? none);
  }

  offset(id: number): number {
    return this.#offset[id] ?? 0;
  }

  length(id: number): number {
    return this.#length[id] ?? 0;
  }

  bytes(id: number): Buffer {
    const offset = this.offset(id);
    return this.buffer(id).subarray(offset, offset + this.length(id));
  }

  /** The version visible at `at`, starting from the newest; `none` if the document did not exist yet. */
  visible(newest: number, at: Micros): number {
    let id = newest;
    while (id !== none && this.updated(id) > at) id = this.older(id);
    return id;
  }

  /** Drops a version; its successor must no longer point to it. */
  drop(id: number): void {
    const slab = this.#slab[id] ?? none;
    this.#updated[id] = Number.NaN;
    this.#slab[id] = none;
    this.#older[id] = this.#free;
    this.#free = id;
    if (slab !== none && this.#slabs.release(slab, this.length(id))) this.#evacuate(slab);
  }

  /** Moves the live records of a nearly empty slab into the current one. */
  #evacuate(slab: number): void {
    const from = this.#slabs.buffer(slab);
    for (const { id, offset, length } of [...this.#slabs.records(slab)]) {
      if (this.#slab[id] !== slab || this.#offset[id] !== offset) continue;
      const to = this.#slabs.reserve(id, length);
      from.copy(to, this.#slabs.offset, offset, offset + length);
      this.#slab[id] = this.#slabs.slab;
      this.#offset[id] = this.#slabs.offset;
      this.#slabs.release(slab, length);
    }
  }

  #take(): number {
    if (this.#free !== none) {
      const id = this.#free;
      this.#free = this.older(id);
      return id;
    }
    if (this.#count === this.#older.length) this.#grow();
    return this.#count++;
  }

  #grow(): void {
    const capacity = 2 * this.#count;
    this.#created = grown(this.#created, new Float64Array(capacity));
    this.#updated = grown(this.#updated, new Float64Array(capacity));
    this.#slab = grown(this.#slab, new Int32Array(capacity));
    this.#offset = grown(this.#offset, new Uint32Array(capacity));
    this.#length = grown(this.#length, new Uint32Array(capacity));
    this.#older = grown(this.#older, new Int32Array(capacity));
  }
}

const firstCapacity = 1024;

const grown = <T extends Float64Array | Int32Array | Uint32Array>(from: T, to: T): T => {
  to.set(from);
  return to;
};
