/** Appends bytes to a growing, reusable buffer; for messages whose parts are already encoded. */
export class ByteWriter {
  bytes: Buffer;
  length = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafeSlow(size);
  }

  /** An integer from 0 to 2^53. */
  varint(value: number): void {
    this.#reserve(8);
    const { bytes } = this;
    let rest = value;
    for (; rest >= 0x1000_0000; rest = Math.floor(rest / 128)) bytes[this.length++] = (rest % 128) | 0x80;
    for (; rest >= 0x80; rest >>>= 7) bytes[this.length++] = (rest & 0x7f) | 0x80;
    bytes[this.length++] = rest;
  }

  copy(from: Uint8Array, start = 0, end = from.length): void {
    this.#reserve(end - start);
    // Avoids a view of the range, which costs more than copying a small one.
    Buffer.prototype.copy.call(from, this.bytes, this.length, start, end);
    this.length += end - start;
  }

  /** A length-delimited field: tag, length, text. */
  text(tag: number, text: string): void {
    const size = Buffer.byteLength(text);
    this.varint(tag);
    this.varint(size);
    this.#reserve(size);
    this.length += this.bytes.write(text, this.length, size, 'utf8');
  }

  #reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}

/** Encoded size of a varint. */
export const varintBytes = (value: number): number => {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) size += 1;
  return size;
};
