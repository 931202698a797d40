import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

/**
 * An append-only file of records with length and checksum. Records survive the end of the process once `append` has returned;
 * an incomplete last record is ignored and truncated on opening.
 */
export class RecordLog {
  readonly #file: number;
  /** Length of the file in bytes. */
  size: number;
  #scratch = Buffer.allocUnsafe(64 * 1024);
  #used = headBytes;

  private constructor(file: number, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** Opens or creates a log. `replay` receives each complete record as a view that is valid only during the call. */
  static open(path: string, replay: (record: Buffer) => void): RecordLog {
    const isNew = !existsSync(path);
    if (isNew) mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, isNew ? 'w+' : 'r+');
    try {
      const size = isNew ? 0 : readRecords(file, replay);
      if (size < magic.length) {
        ftruncateSync(file, 0);
        writeSync(file, magic, 0, magic.length, 0);
        return new RecordLog(file, magic.length);
      }
      ftruncateSync(file, size);
      return new RecordLog(file, size);
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** Room for more of the current record: the buffer and the position. */
  reserve(bytes: number): { readonly buffer: Buffer; readonly at: number } {
    const needed = this.#used + bytes;
    if (needed > this.#scratch.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#scratch.length));
      this.#scratch.copy(larger, 0, 0, this.#used);
      this.#scratch = larger;
    }
    const at = this.#used;
    this.#used = needed;
    return { buffer: this.#scratch, at };
  }

  /** The size of the current record so far. */
  get pending(): number {
    return this.#used - headBytes;
  }

  /** Writes the current record. A failure leaves nothing of it in the file. */
  append(): void {
    const length = this.pending;
    this.#scratch.writeUInt32LE(length, 0);
    this.#scratch.writeUInt32LE(crc32(this.#scratch.subarray(headBytes, this.#used)), 4);
    try {
      for (let at = 0; at < this.#used; ) at += writeSync(this.#file, this.#scratch, at, this.#used - at, this.size + at);
      this.size += this.#used;
    } catch (error) {
      ftruncateSync(this.#file, this.size);
      throw error;
    } finally {
      this.discard();
    }
  }

  /** Discards the current record. */
  discard(): void {
    this.#used = headBytes;
    // A single large commit should not keep its memory.
    if (this.#scratch.length > keptScratchBytes) this.#scratch = Buffer.allocUnsafe(64 * 1024);
  }

  close(): void {
    closeSync(this.#file);
  }
}

const magic = Buffer.from('FSLOG001');
const headBytes = 8;
const keptScratchBytes = 4 * 1024 * 1024;
const chunkBytes = 4 * 1024 * 1024;

/** Reads records up to the first incomplete one and returns the length up to there. */
const readRecords = (file: number, replay: (record: Buffer) => void): number => {
  let chunk = Buffer.allocUnsafe(chunkBytes);
  let chunkStart = 0;
  let filled = readSync(file, chunk, 0, chunk.length, 0);
  // A file shorter than its header was being created.
  if (filled < magic.length) return 0;
  if (!chunk.subarray(0, magic.length).equals(magic)) throw new Error('the file is not a log of the embedded Firestore');
  let at = magic.length;
  const have = (bytes: number): boolean => {
    if (at - chunkStart + bytes <= filled) return true;
    const kept = filled - (at - chunkStart);
    const next = Buffer.allocUnsafe(Math.max(chunkBytes, bytes));
    chunk.copy(next, 0, at - chunkStart, filled);
    chunk = next;
    chunkStart = at;
    filled = kept;
    while (filled < bytes) {
      const got = readSync(file, chunk, filled, chunk.length - filled, chunkStart + filled);
      if (got === 0) return false;
      filled += got;
    }
    return true;
  };
  while (have(headBytes)) {
    const length = chunk.readUInt32LE(at - chunkStart);
    const sum = chunk.readUInt32LE(at - chunkStart + 4);
    if (length > recordBytesMax || !have(headBytes + length)) break;
    const start = at - chunkStart + headBytes;
    const record = chunk.subarray(start, start + length);
    if (crc32(record) !== sum) break;
    replay(record);
    at += headBytes + length;
  }
  return at;
};

/** A larger length belongs to a torn record. */
const recordBytesMax = 1024 * 1024 * 1024;
