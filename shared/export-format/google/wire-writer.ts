/** Writes a protobuf message with groups, which `proto2` still has, into one growing buffer. */
export class WireWriter {
  #bytes = Buffer.allocUnsafe(4 << 10);
  #length = 0;

  /** What was written; valid until the next write after `reset`. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  reset(): this {
    this.#length = 0;
    return this;
  }

  /** An integer up to 2^32, a flag or an enum value. */
  number(field: number, value: number): void {
    this.#varint(field * 8);
    this.#varint(value);
  }

  /** A signed 64-bit integer. */
  int64(field: number, value: bigint): void {
    this.#varint(field * 8);
    this.#reserve(10);
    let rest = BigInt.asUintN(64, value);
    for (; rest >= 0x80n; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#length++] = Number(rest);
  }

  double(field: number, value: number): void {
    this.#varint(field * 8 + 1);
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  bytesField(field: number, value: string | Uint8Array): void {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    this.#varint(field * 8 + 2);
    this.#varint(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  group(field: number, write: () => void): void {
    this.#varint(field * 8 + 3);
    write();
    this.#varint(field * 8 + 4);
  }

  /** A nested message; its length is known when it is written, so it moves by the size of the length. */
  message(field: number, write: () => void): void {
    this.#varint(field * 8 + 2);
    const start = this.#length;
    write();
    const size = this.#length - start;
    const lengthBytes = sizeOf(size);
    this.#reserve(lengthBytes);
    this.#bytes.copyWithin(start + lengthBytes, start, this.#length);
    this.#length = start;
    this.#varint(size);
    this.#length += size;
  }

  #varint(value: number): void {
    this.#reserve(5);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

const sizeOf = (value: number): number => {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) size += 1;
  return size;
};
