/** Builds a protobuf message; encoded parts are copied once, at the end. */
export class WireWriter {
  #buffer = Buffer.allocUnsafe(256);
  #length = 0;

  /** A length-delimited field: text, bytes, or an encoded message. */
  field(number: number, content: Uint8Array | string): this {
    const length = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
    this.#reserve(length + 15);
    this.#varint(number * 8 + 2);
    this.#varint(length);
    if (typeof content === 'string') this.#buffer.write(content, this.#length);
    else this.#buffer.set(content, this.#length);
    this.#length += length;
    return this;
  }

  /** A varint field; negative numbers take ten bytes, like int64 and enum. */
  varint(number: number, value: number | bigint): this {
    this.#reserve(20);
    this.#varint(number * 8);
    if (typeof value === 'number' && value >= 0) this.#varint(value);
    else this.#varint64(BigInt.asUintN(64, BigInt(value)));
    return this;
  }

  /** A fixed64 field holding a double. */
  double(number: number, value: number): this {
    this.#reserve(15);
    this.#varint(number * 8 + 1);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
    return this;
  }

  /** Already encoded fields. */
  raw(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#length++] = rest;
  }

  #varint64(value: bigint): void {
    let rest = value;
    while (rest >= 0x80n) {
      this.#buffer[this.#length++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    this.#buffer[this.#length++] = Number(rest);
  }
}

/** The encoded size of a varint, for numbers from 0 to 2^53. */
export const varintSize = (value: number): number => {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
};
