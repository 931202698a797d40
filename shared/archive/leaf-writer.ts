import { copyBytes } from './bytes.ts';
import { column, columnsStart, planes, recordOrder } from './columns.ts';
import type { DocumentMarks } from './document.ts';
import { ArchiveError } from './error.ts';
import { leafBodyBytes, leafNameBytes, leafRecords, maxNameBytes, maxPlainBytes } from './limit.ts';
import { compareRanges, sharedBytes } from './name-order.ts';
import { isStorable } from './timestamp.ts';

/** A little more than the most records, so that planes do not fall on the same lines of the processor's cache. */
const stride = leafRecords + 64;

/** Gathers records until they make a leaf; its memory is used again for the next one. */
export class LeafWriter {
  readonly #ordered: boolean;
  readonly #columns = new Uint8Array(planes * stride);
  #suffixes: Buffer = Buffer.allocUnsafe(64 * 1024);
  #suffixBytes = 0;
  #bodies: Buffer = Buffer.allocUnsafe(leafBodyBytes + 64 * 1024);
  #bodyBytes = 0;
  readonly #last = Buffer.allocUnsafe(maxNameBytes);
  #lastBytes = 0;
  #nameBytes = 0;
  count = 0;

  constructor(ordered: boolean) {
    this.#ordered = ordered;
  }

  /** True if the leaf is as large as it should get, or that much more would make it too large. */
  isFullFor(nameBytes: number, bodyBytes: number): boolean {
    if (this.count === 0) return false;
    return (
      this.count >= leafRecords ||
      this.#bodyBytes >= leafBodyBytes ||
      this.#nameBytes + nameBytes > leafNameBytes ||
      this.#bodyBytes + bodyBytes > maxPlainBytes
    );
  }

  /** Copies what it keeps: the bytes belong to the caller again afterwards. */
  add(flags: number, bytes: Uint8Array, marks: DocumentMarks, bodyStart: number, bodyEnd: number): void {
    const { nameStart, nameEnd } = marks;
    const nameBytes = nameEnd - nameStart;
    const bodyBytes = bodyEnd - bodyStart;
    if (nameBytes === 0 || nameBytes > maxNameBytes) throw new ArchiveError('record-invalid', `a name of ${nameBytes} bytes`);
    if (bodyBytes > maxPlainBytes) throw new ArchiveError('too-large', `a record of ${bodyBytes} bytes`);
    const shared = this.#follow(bytes, nameStart, nameEnd);
    this.#suffixes = room(this.#suffixes, this.#suffixBytes, nameBytes - shared);
    copyBytes(bytes, nameStart + shared, nameEnd, this.#suffixes, this.#suffixBytes);
    this.#suffixBytes += nameBytes - shared;
    this.#bodies = room(this.#bodies, this.#bodyBytes, bodyBytes);
    copyBytes(bytes, bodyStart, bodyEnd, this.#bodies, this.#bodyBytes);
    this.#bodyBytes += bodyBytes;
    this.#nameBytes += nameBytes;
    const slot = this.count++;
    this.#columns[slot] = flags;
    this.#put(column.shared.plane, 2, slot, shared);
    this.#put(column.suffix.plane, 2, slot, nameBytes - shared);
    this.#put(column.body.plane, 4, slot, bodyBytes);
    this.#putTimes(slot, marks);
  }

  /** Remembers the name and answers how much of it need not be stored, as the record before has it too. */
  #follow(bytes: Uint8Array, nameStart: number, nameEnd: number): number {
    const [last, lastBytes] = [this.#last, this.#lastBytes];
    const shared = sharedBytes(last, 0, lastBytes, bytes, nameStart, nameEnd);
    if (this.#ordered && lastBytes > 0 && compareRanges(last, 0, lastBytes, bytes, nameStart, nameEnd) >= 0)
      throw new ArchiveError('record-invalid', 'records must come in the order of their names, each once');
    copyBytes(bytes, nameStart + shared, nameEnd, last, shared);
    this.#lastBytes = nameEnd - nameStart;
    return this.count === 0 ? 0 : shared;
  }

  get lastName(): Uint8Array | undefined {
    return this.#lastBytes > 0 ? this.#last.subarray(0, this.#lastBytes) : undefined;
  }

  #put(plane: number, width: number, slot: number, value: number): void {
    let rest = value;
    for (let at = (plane + width - 1) * stride + slot, i = 0; i < width; i++, at -= stride, rest >>>= 8) this.#columns[at] = rest;
  }

  /** A time that the columns cannot hold is zero there, and whole in the body. */
  #putTimes(slot: number, { updatedSeconds, updatedNanos, createdSeconds, createdNanos }: DocumentMarks): void {
    if (isStorable(updatedSeconds, updatedNanos)) this.#putTime(column.updated.plane, slot, updatedSeconds, updatedNanos);
    else this.#putTime(column.updated.plane, slot, 0, 0);
    if (isStorable(createdSeconds, createdNanos)) this.#putTime(column.created.plane, slot, createdSeconds, createdNanos);
    else this.#putTime(column.created.plane, slot, 0, 0);
    const columns = this.#columns;
    for (let i = 0, at = column.updated.plane * stride + slot; i < column.updated.width; i++, at += stride) {
      const created = at + column.updated.width * stride;
      columns[created] = (columns[created] ?? 0) ^ (columns[at] ?? 0);
    }
  }

  #putTime(plane: number, slot: number, seconds: number, nanos: number): void {
    const micros = (nanos / 1000) | 0;
    this.#columns[plane * stride + slot] = Math.floor(seconds / 2 ** 32);
    this.#put(plane + 1, 4, slot, seconds >>> 0);
    this.#put(plane + 5, 3, slot, micros);
    this.#put(plane + 8, 2, slot, nanos - micros * 1000);
  }

  /** The frame that says what is in the leaf; a copy. */
  keys(): Buffer {
    const { count } = this;
    const out = Buffer.allocUnsafe(columnsStart + planes * count + this.#suffixBytes);
    out[0] = this.#ordered ? recordOrder.byName : recordOrder.asGiven;
    out.writeUInt32BE(count, 1);
    for (let plane = 0; plane < planes; plane++)
      out.set(this.#columns.subarray(plane * stride, plane * stride + count), columnsStart + plane * count);
    out.set(this.#suffixes.subarray(0, this.#suffixBytes), columnsStart + planes * count);
    return out;
  }

  /** The frame of bodies, one after the other; valid until the next record is added. */
  bodies(): Buffer {
    return this.#bodies.subarray(0, this.#bodyBytes);
  }

  /** Begins the next leaf; the order of names goes on. */
  reset(): void {
    this.count = this.#suffixBytes = this.#bodyBytes = this.#nameBytes = 0;
    // One enormous record must not keep its memory for the whole object.
    if (this.#bodies.length > 4 * leafBodyBytes) this.#bodies = Buffer.allocUnsafe(leafBodyBytes + 64 * 1024);
  }
}

const room = (buffer: Buffer, used: number, wanted: number): Buffer => {
  if (used + wanted <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafe(Math.max(used + wanted, 2 * buffer.length));
  buffer.copy(larger, 0, 0, used);
  return larger;
};
