import { ArchiveError } from '../primitives/archive-error.ts';
import type { DocumentMarks } from './document-trim.ts';

/**
 * Finds name, createTime and updateTime of an encoded google.firestore.v1.Document without decoding its fields. Of a repeated
 * field the last one wins, as in protobuf. Missing and invalid times read as zero; the body keeps them.
 */
export class DocumentSkim implements DocumentMarks {
  /** Position of the document that was read. */
  start = 0;
  end = 0;
  nameStart = 0;
  nameEnd = 0;
  createdSeconds = 0;
  createdNanos = 0;
  updatedSeconds = 0;
  updatedNanos = 0;
  #at = 0;
  #seconds = 0;
  #nanos = 0;

  /** Reads the document in field 1 of an enclosing message, such as a query response; false if there is none. */
  readWithin(bytes: Uint8Array, from: number, to: number): boolean {
    let isFound = false;
    this.#at = from;
    while (this.#at < to) {
      const tag = this.#varint(bytes, to);
      if (tag !== 0x0a) {
        this.#skip(tag % 8, bytes, to);
        continue;
      }
      const length = this.#varint(bytes, to);
      this.start = this.#at;
      this.end = this.#at = this.start + length;
      if (length < 0 || this.end > to) throw broken();
      isFound = true;
    }
    if (isFound) this.read(bytes, this.start, this.end);
    return isFound;
  }

  read(bytes: Uint8Array, start: number, end: number): void {
    this.start = start;
    this.end = end;
    this.nameStart = this.nameEnd = start;
    this.createdSeconds = this.createdNanos = this.updatedSeconds = this.updatedNanos = 0;
    let at = start;
    while (at < end) {
      // Fast path: most bytes of a document are field entries shorter than 16 KiB.
      if (bytes[at] === 0x12 && at + 2 < end) {
        const [low, high] = [bytes[at + 1] ?? 0, bytes[at + 2] ?? 0];
        const next = low < 0x80 ? at + 2 + low : high < 0x80 ? at + 3 + (low & 0x7f) + high * 128 : end + 1;
        if (next <= end) {
          at = next;
          continue;
        }
      }
      this.#at = at;
      const tag = this.#varint(bytes, end);
      if (tag % 8 === 2) this.#field((tag - 2) / 8, bytes, end);
      else this.#skip(tag % 8, bytes, end);
      at = this.#at;
    }
  }

  #field(field: number, bytes: Uint8Array, end: number): void {
    const length = this.#varint(bytes, end);
    const from = this.#at;
    const to = from + length;
    if (length < 0 || to > end) throw broken();
    if (field === 1) {
      this.nameStart = from;
      this.nameEnd = to;
    } else if (field === 3) {
      this.#timestamp(bytes, to);
      this.createdSeconds = this.#seconds;
      this.createdNanos = this.#nanos;
    } else if (field === 4) {
      this.#timestamp(bytes, to);
      this.updatedSeconds = this.#seconds;
      this.updatedNanos = this.#nanos;
    }
    this.#at = to;
  }

  #timestamp(bytes: Uint8Array, to: number): void {
    this.#seconds = this.#nanos = 0;
    while (this.#at < to) {
      const tag = this.#varint(bytes, to);
      if (tag === 0x08) this.#seconds = this.#varint(bytes, to);
      else if (tag === 0x10) this.#nanos = this.#varint(bytes, to);
      else this.#skip(tag % 8, bytes, to);
    }
    if (!(this.#nanos >= 0 && this.#nanos < 1e9 && Number.isSafeInteger(this.#seconds))) this.#seconds = this.#nanos = 0;
  }

  /** A signed 64-bit number; not exact beyond 2^53. */
  #varint(bytes: Uint8Array, end: number): number {
    let at = this.#at;
    let low = 0;
    // Fast path: most values fit into 28 bits.
    for (let shift = 0; shift < 28; shift += 7) {
      if (at >= end) throw broken();
      const byte = bytes[at++] ?? 0;
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        this.#at = at;
        return low;
      }
    }
    this.#at = at;
    return this.#longVarint(bytes, end, low);
  }

  #longVarint(bytes: Uint8Array, end: number, low: number): number {
    let value = low;
    let scale = 2 ** 28;
    for (let i = 4; i < 9; i++, scale *= 128) {
      if (this.#at >= end) throw broken();
      const byte = bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    if (this.#at >= end || (bytes[this.#at++] ?? 0) > 1) throw broken();
    return signed(bytes, this.#at - 10);
  }

  #skip(type: number, bytes: Uint8Array, end: number): void {
    if (type === 0) this.#varint(bytes, end);
    else if (type === 1) this.#at += 8;
    else if (type === 5) this.#at += 4;
    else if (type === 2) {
      const length = this.#varint(bytes, end);
      this.#at += length;
      if (length < 0) throw broken();
    } else throw broken();
    if (this.#at > end) throw broken();
  }
}

const signed = (bytes: Uint8Array, from: number): number => {
  let value = 0n;
  for (let i = 0; i < 10; i++) value |= BigInt((bytes[from + i] ?? 0) & 0x7f) << BigInt(7 * i);
  return Number(BigInt.asIntN(64, value));
};

const broken = (): ArchiveError => new ArchiveError('record-invalid', 'not an encoded document');
