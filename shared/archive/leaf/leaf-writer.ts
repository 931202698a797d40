import { compareFrom } from '../name/compare-names.ts';
import { SharedPrefix } from '../name/shared-prefix.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { copyBytes } from '../primitives/bytes.ts';
import { leafBodyBytes, leafNameBytes, leafRecords, maxNameBytes, maxPlainBytes } from '../primitives/format-limits.ts';
import { columnsStart, planes, recordOrder } from './column-layout.ts';
import { ColumnWriter } from './column-writer.ts';
import type { DocumentMarks } from './document-trim.ts';

/** Gathers records until they make a leaf; its memory is used again for the next one. */
export class LeafWriter {
  readonly #ordered: boolean;
  readonly #columns = new ColumnWriter();
  #suffixes: Buffer = Buffer.allocUnsafe(64 * 1024);
  #suffixBytes = 0;
  #bodies: Buffer = Buffer.allocUnsafe(leafBodyBytes + 64 * 1024);
  #bodyBytes = 0;
  readonly #last = Buffer.allocUnsafe(maxNameBytes);
  #lastBytes = 0;
  readonly #names = new SharedPrefix();
  #nameBytes = 0;

  constructor(ordered: boolean) {
    this.#ordered = ordered;
  }

  get count(): number {
    return this.#columns.count;
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
    const [suffixes, suffixAt] = [this.#suffixes, this.#suffixBytes - nameStart - shared];
    for (let at = nameStart + shared; at < nameEnd; at++) suffixes[suffixAt + at] = bytes[at] ?? 0;
    this.#suffixBytes += nameBytes - shared;
    this.#bodies = room(this.#bodies, this.#bodyBytes, bodyBytes);
    copyBytes(bytes, bodyStart, bodyEnd, this.#bodies, this.#bodyBytes);
    this.#bodyBytes += bodyBytes;
    this.#nameBytes += nameBytes;
    this.#columns.add(flags, shared, nameBytes - shared, bodyBytes, marks);
  }

  /** Remembers the name and answers how much of it need not be stored, as the record before has it too. */
  #follow(bytes: Uint8Array, nameStart: number, nameEnd: number): number {
    const [last, lastBytes] = [this.#last, this.#lastBytes];
    const shared = this.#names.length(last, 0, lastBytes, bytes, nameStart, nameEnd);
    if (this.#ordered && lastBytes > 0 && compareFrom(last, 0, lastBytes, bytes, nameStart, nameEnd, shared) >= 0)
      throw new ArchiveError('record-invalid', 'records must come in the order of their names, each once');
    for (let at = nameStart + shared; at < nameEnd; at++) last[at - nameStart] = bytes[at] ?? 0;
    this.#lastBytes = nameEnd - nameStart;
    return this.count === 0 ? 0 : shared;
  }

  get lastName(): Uint8Array | undefined {
    return this.#lastBytes > 0 ? this.#last.subarray(0, this.#lastBytes) : undefined;
  }

  /** The frame that says what is in the leaf; a copy. */
  keys(): Buffer {
    const { count } = this;
    const out = Buffer.allocUnsafe(columnsStart + planes * count + this.#suffixBytes);
    out[0] = this.#ordered ? recordOrder.byName : recordOrder.asGiven;
    out.writeUInt32BE(count, 1);
    this.#columns.layOut(out);
    out.set(this.#suffixes.subarray(0, this.#suffixBytes), columnsStart + planes * count);
    return out;
  }

  /** The frame of bodies, one after the other; valid until the next record is added. */
  bodies(): Buffer {
    return this.#bodies.subarray(0, this.#bodyBytes);
  }

  /** Begins the next leaf; the order of names goes on. */
  reset(): void {
    this.#columns.count = this.#suffixBytes = this.#bodyBytes = this.#nameBytes = 0;
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
