import { ArchiveError } from '../../archive/index.ts';

const lengthDelimited = 2;

/** Walks an encoded protobuf message field by field without copying; 64-bit numbers are exact. */
export class MessageReader {
  readonly bytes: Buffer;
  at: number;
  /** Number and wire type of the current field. */
  field = 0;
  type = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }

  /** Advances to the next field before `end`; false if there is none. */
  next(end: number): boolean {
    if (this.at >= end) return false;
    const tag = this.number(end);
    this.type = tag % 8;
    this.field = (tag - this.type) / 8;
    return true;
  }

  /** The end of the current length-delimited field, which starts at `at`. */
  stop(end: number): number {
    const length = this.number(end);
    const stop = this.at + length;
    if (stop > end) throw broken();
    return stop;
  }

  /** Skips the current field. */
  skip(end: number): void {
    if (this.type === 0) this.number(end);
    else if (this.type === lengthDelimited) this.at = this.stop(end);
    else if (this.type === 1) this.at += 8;
    else if (this.type === 5) this.at += 4;
    else throw broken();
    if (this.at > end) throw broken();
  }

  /** An unsigned integer; not exact beyond 2^53. */
  number(end: number): number {
    let value = 0;
    for (let scale = 1; this.at < end && scale < 2 ** 70; scale *= 128) {
      const byte = this.bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw broken();
  }

  /** A signed 64-bit integer in decimal. */
  int64(end: number): string {
    const start = this.at;
    const value = this.number(end);
    if (value <= Number.MAX_SAFE_INTEGER) return String(value);
    let exact = 0n;
    for (let at = this.at - 1; at >= start; at--) exact = (exact << 7n) | BigInt((this.bytes[at] ?? 0) & 0x7f);
    return String(BigInt.asIntN(64, exact));
  }

  double(end: number): number {
    const from = this.at;
    this.at += 8;
    if (this.at > end) throw broken();
    return this.bytes.readDoubleLE(from);
  }

  /** The text of the field, which ends at `stop`. */
  text(stop: number): string {
    const text = this.bytes.toString('utf8', this.at, stop);
    this.at = stop;
    return text;
  }

  base64(stop: number): string {
    const text = this.bytes.toString('base64', this.at, stop);
    this.at = stop;
    return text;
  }
}

export const broken = (): ArchiveError => new ArchiveError('record-invalid', 'not an encoded document');
