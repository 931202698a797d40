import { Crc32c } from '../../platform/index.ts';

const blockBytes = 32 << 10;
const headerBytes = 7;
const fragment = { full: 1, first: 2, middle: 3, last: 4 } as const;

/**
 * Writes records in the log format of LevelDB (github.com/google/leveldb/blob/main/doc/log_format.md): blocks of 32 KiB with fragments of
 * records, each behind its masked CRC-32C, its length and its type.
 */
export class LevelDbLog {
  /** Bytes so far. */
  size = 0;

  /** The bytes to append to the log. */
  record(record: Uint8Array): Buffer {
    const parts: Buffer[] = [];
    for (let from = 0, isFirst = true; ; isFirst = false) {
      const left = blockBytes - (this.size % blockBytes);
      if (left < headerBytes) this.#push(parts, Buffer.alloc(left));
      const room = blockBytes - (this.size % blockBytes) - headerBytes;
      const piece = record.subarray(from, from + room);
      from += piece.length;
      const isLast = from === record.length;
      const type = isFirst ? (isLast ? fragment.full : fragment.first) : isLast ? fragment.last : fragment.middle;
      this.#push(parts, headerOf(type, piece));
      this.#push(parts, piece);
      if (isLast) return Buffer.concat(parts);
    }
  }

  #push(parts: Buffer[], bytes: Uint8Array): void {
    parts.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.size += bytes.length;
  }
}

const headerOf = (type: number, piece: Uint8Array): Buffer => {
  const header = Buffer.alloc(headerBytes);
  const { value } = new Crc32c().update(Uint8Array.of(type)).update(piece);
  // Masked, because a CRC over bytes that contain CRCs is weak.
  header.writeUInt32LE((((value >>> 15) | (value << 17)) + 0xa282ead8) >>> 0, 0);
  header.writeUInt16LE(piece.length, 4);
  header[6] = type;
  return header;
};
