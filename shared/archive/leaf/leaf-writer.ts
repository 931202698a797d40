import { compareFrom } from '../name/compare-names.ts';
import { SharedPrefix } from '../name/shared-prefix.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { copyBytes } from '../primitives/bytes.ts';
import { leafBodyBytes, leafNameBytes, leafRecords, maxNameBytes, maxPlainBytes } from '../primitives/format-limits.ts';
import { columnsStart, planes, recordOrder } from './column-layout.ts';
import { ColumnWriter } from './column-writer.ts';
import type { DocumentMarks } from './document-trim.ts';

/** Collects the records of a leaf. Its buffers are reused for the next leaf. */
export class LeafWriter {
  readonly #ordered: boolean;
  readonly #columns = new ColumnWriter();
  #suffixes: Buffer = Buffer.allocUnsafe(64 * 1024);
  #suffixBytes = 0;
  #bodies: Buffer = Buffer.allocUnsafe(leafBodyBytes + 64 * 1024);
  #bodyBytes = 0;
  readonly #last = Buffer.allocUnsafe(maxNameBytes);
  #lastBytes = 0;
  readonly #prefix = new SharedPrefix();
  #nameBytes = 0;

  constructor(ordered: boolean) {
    this.#ordered = ordered;
  }

  get count(): number {
    return this.#columns.count;
  }

  /** True if the leaf has reached its target size, or a record of this size would exceed the maximum. */
  isFullFor(nameBytes: number, bodyBytes: number): boolean {
    if (this.count === 0) return false;
    return (
      this.count >= leafRecords ||
      this.#bodyBytes >= leafBodyBytes ||
      this.#nameBytes + nameBytes > leafNameBytes ||
      this.#bodyBytes + bodyBytes > maxPlainBytes
    );
  }

  /** Copies name and body. */
  add(flags: number, bytes: Uint8Array, marks: DocumentMarks, bodyStart: number, bodyEnd: number): void {
    const { nameStart, nameEnd } = marks;
    const nameBytes = nameEnd - nameStart;
    const bodyBytes = bodyEnd - bodyStart;
    if (nameBytes === 0 || nameBytes > maxNameBytes)
      throw new ArchiveError('record-invalid', `a record name has ${nameBytes} bytes`);
    if (bodyBytes > maxPlainBytes) throw new ArchiveError('too-large', `a record has ${bodyBytes} bytes`);
    const shared = this.#appendName(bytes, nameStart, nameEnd);
    this.#suffixes = withCapacity(this.#suffixes, this.#suffixBytes, nameBytes - shared);
    const [suffixes, suffixAt] = [this.#suffixes, this.#suffixBytes - nameStart - shared];
    for (let at = nameStart + shared; at < nameEnd; at++) suffixes[suffixAt + at] = bytes[at] ?? 0;
    this.#suffixBytes += nameBytes - shared;
    this.#bodies = withCapacity(this.#bodies, this.#bodyBytes, bodyBytes);
    copyBytes(bytes, bodyStart, bodyEnd, this.#bodies, this.#bodyBytes);
    this.#bodyBytes += bodyBytes;
    this.#nameBytes += nameBytes;
    this.#columns.add(flags, shared, nameBytes - shared, bodyBytes, marks);
  }

  /** Stores the name as the last one; returns the number of bytes shared with the previous name. */
  #appendName(bytes: Uint8Array, nameStart: number, nameEnd: number): number {
    const [last, lastBytes] = [this.#last, this.#lastBytes];
    const shared = this.#prefix.length(last, 0, lastBytes, bytes, nameStart, nameEnd);
    if (this.#ordered && lastBytes > 0 && compareFrom(last, 0, lastBytes, bytes, nameStart, nameEnd, shared) >= 0)
      throw new ArchiveError('record-invalid', 'records must be unique and in name order');
    for (let at = nameStart + shared; at < nameEnd; at++) last[at - nameStart] = bytes[at] ?? 0;
    this.#lastBytes = nameEnd - nameStart;
    return this.count === 0 ? 0 : shared;
  }

  get lastName(): Uint8Array | undefined {
    return this.#lastBytes > 0 ? this.#last.subarray(0, this.#lastBytes) : undefined;
  }

  /** A copy of the keys frame. */
  keys(): Buffer {
    const { count } = this;
    const out = Buffer.allocUnsafe(columnsStart + planes * count + this.#suffixBytes);
    out[0] = this.#ordered ? recordOrder.byName : recordOrder.asGiven;
    out.writeUInt32BE(count, 1);
    this.#columns.layOut(out);
    out.set(this.#suffixes.subarray(0, this.#suffixBytes), columnsStart + planes * count);
    return out;
  }

  /** The bodies frame; valid until the next record is added. */
  bodies(): Buffer {
    return this.#bodies.subarray(0, this.#bodyBytes);
  }

  /** Starts the next leaf; name order is checked across leaves. */
  reset(): void {
    this.#columns.count = this.#suffixBytes = this.#bodyBytes = this.#nameBytes = 0;
    // Releases the memory of an oversized record.
    if (this.#bodies.length > 4 * leafBodyBytes) this.#bodies = Buffer.allocUnsafe(leafBodyBytes + 64 * 1024);
  }
}

const withCapacity = (buffer: Buffer, used: number, needed: number): Buffer => {
  if (used + needed <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafe(Math.max(used + needed, 2 * buffer.length));
  buffer.copy(larger, 0, 0, used);
  return larger;
};
