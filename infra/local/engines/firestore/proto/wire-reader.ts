import { isUtf8 } from 'node:buffer';

/** Reads protobuf's wire format in place: fields are numbers, types and byte ranges; nothing is copied. */
export class WireReader {
  readonly bytes: Uint8Array;
  readonly end: number;
  at: number;
  /** The field found by `next`. */
  field = 0;
  type = 0;
  /** Start of the field's tag. */
  tagStart = 0;
  /** Content of a length-delimited field. */
  start = 0;
  stop = 0;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  /** Moves to the next field; false at the end. `varint` reads a varint field's value from `start`. */
  next(): boolean {
    if (this.at >= this.end) return false;
    this.tagStart = this.at;
    const tag = this.varint();
    this.field = tag >>> 3;
    this.type = tag & 7;
    if (this.field === 0) throw new WireError('a field has the number 0');
    this.start = this.at;
    if (this.type === 2) {
      const length = this.varint();
      this.start = this.at;
      this.at += length;
    } else if (this.type === 0) this.skipVarint();
    else if (this.type === 1) this.at += 8;
    else if (this.type === 5) this.at += 4;
    // No current message uses groups, the only element that nests without bound.
    else throw new WireError(`wire type ${this.type}`);
    this.stop = this.at;
    if (this.at > this.end) throw new WireError('a field reaches past the end');
    return true;
  }

  /** The lower 32 bits of the varint at `at`, unsigned: enough for tags, lengths, booleans and enums. */
  varint(): number {
    const { bytes } = this;
    // Fast path: most tags and lengths are one byte.
    const first = bytes[this.at] ?? 0x80;
    if (first < 0x80 && this.at < this.end) {
      this.at += 1;
      return first;
    }
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= this.end) throw new WireError('a varint reaches past the end');
      const byte = bytes[this.at++] ?? 0;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new WireError('a varint is longer than ten bytes');
  }

  /** The current varint as a signed 64-bit integer: a number if exact, otherwise a bigint. */
  int64(): number | bigint {
    let low = 0;
    let high = 0;
    let at = this.start;
    for (let i = 0; i < 10; i++) {
      const byte = this.bytes[at++] ?? 0;
      const bits = byte & 0x7f;
      if (i < 4) low |= bits << (7 * i);
      else if (i === 4) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else high |= bits << (7 * i - 32);
      if (byte < 0x80) break;
    }
    const exact = (high | 0) * 0x1_0000_0000 + (low >>> 0);
    return Number.isSafeInteger(exact) ? exact : (BigInt(high | 0) << 32n) | BigInt(low >>> 0);
  }

  /** The current varint as a boolean: any set bit is true. */
  bool(): boolean {
    for (let at = this.start; at < this.stop; at++) if (((this.bytes[at] ?? 0) & 0x7f) !== 0) return true;
    return false;
  }

  /** The current fixed64 field as a double. */
  double(): number {
    const { bytes } = this;
    return new DataView(bytes.buffer, bytes.byteOffset + this.start, 8).getFloat64(0, true);
  }

  /** The current field's content as a view. */
  slice(): Uint8Array {
    return this.bytes.subarray(this.start, this.stop);
  }

  /** The current field's content as UTF-8 text. */
  text(): string {
    return readText(this.bytes, this.start, this.stop);
  }

  /** A reader of the current field's content. */
  inner(): WireReader {
    return new WireReader(this.bytes, this.start, this.stop);
  }

  private skipVarint(): void {
    const limit = this.at + 10;
    while (this.at < this.end && this.at < limit) if ((this.bytes[this.at++] ?? 0) < 0x80) return;
    throw new WireError('a varint does not end');
  }
}

/** Bytes that are not a valid protobuf message. */
export class WireError extends Error {}

/** Whether the bytes are UTF-8; short ASCII avoids a call into C++. */
export const isText = (bytes: Uint8Array, start: number, stop: number): boolean => {
  if (stop - start <= 64) {
    let at = start;
    while (at < stop && (bytes[at] ?? 0) < 0x80) at++;
    if (at === stop) return true;
  }
  return isUtf8(bytes.subarray(start, stop));
};

/** Decodes UTF-8; short ASCII (the common case) avoids a call into C++. */
export const readText = (bytes: Uint8Array, start: number, stop: number): string => {
  if (stop - start <= 24) {
    let text = '';
    let at = start;
    for (; at < stop; at++) {
      const byte = bytes[at] ?? 0;
      if (byte > 0x7f) break;
      text += String.fromCharCode(byte);
    }
    if (at === stop) return text;
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, stop - start).toString('utf8');
};
