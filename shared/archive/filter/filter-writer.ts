/** Writes the filters of a chunk: for each leaf, the ids of its documents and the values of some fields, as sets that lack nothing. */
import { ObjectWriter, type WriterOptions } from '../object/object-writer.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { asBuffer } from '../primitives/bytes.ts';
import { anything, bloomHeadBytes, encodeBloom } from './bloom-filter.ts';
import { encodeDirectory, type FieldPath, type FilterEntry, filterName, leavesPerSection, withHash } from './filter-directory.ts';
import { textHash } from './text-hash.ts';

/** What is filtered by. */
export interface FilterSource {
  readonly fields: readonly FieldPath[];
  /** Adds the key of each value that an encoded document may have in these fields. Equal values have equal keys. */
  readonly collect: (bytes: Uint8Array, start: number, end: number, add: (field: number, key: string) => void) => void;
}

/** Of the stored bytes of a chunk. A filter that would be larger is not stored. */
export const filterShareMax = 0.03;
/** Of the stored bytes of a leaf: what is left is for the frames around its filters. */
const leafShareMax = 0.028;
/** Three in a thousand values that a leaf does not have are taken for one that it has. */
const bitsPerValue = 12;
/** With fewer, one in seven: such a filter is left out. */
const bitsPerValueMin = 4;

const slash = 0x2f;

export class FilterWriter {
  readonly #object: ObjectWriter;
  readonly #source: FilterSource;
  /** Of the current leaf: hashes of ids, then of the values of each field. */
  readonly #values: readonly Set<number>[];
  /** Of the current section: the filters of each leaf. */
  #pending: Buffer[][];
  readonly #sections: number[] = [];
  #leaves = 0;
  #isUnknown = false;
  readonly #add: (field: number, key: string) => void;

  constructor(chunk: string, options: WriterOptions, source: FilterSource) {
    this.#object = new ObjectWriter(filterName(chunk), options);
    this.#source = source;
    this.#values = Array.from({ length: 1 + source.fields.length }, () => new Set<number>());
    this.#pending = this.#values.map(() => []);
    this.#add = (field, key) => this.#values[field + 1]?.add(textHash(key));
  }

  /** Adds the document encoded in bytes `start` to `end` to the current leaf; name or times may be missing in them. */
  document(name: Uint8Array, nameStart: number, nameEnd: number, bytes: Uint8Array, start: number, end: number): void {
    let idStart = nameEnd;
    while (idStart > nameStart && name[idStart - 1] !== slash) idStart--;
    // As a reader decodes it.
    this.#values[0]?.add(textHash(asBuffer(name).toString('utf8', idStart, nameEnd)));
    try {
      this.#source.collect(bytes, start, end, this.#add);
    } catch (error) {
      // It is stored as it is, and its leaf is always read.
      if (!(error instanceof ArchiveError)) throw error;
      this.#isUnknown = true;
    }
  }

  /** The filters of the current leaf say nothing: it is always read. */
  setUnknown(): void {
    this.#isUnknown = true;
  }

  /** Ends the leaf, which takes so many stored bytes. */
  endLeaf(storedBytes: number): void {
    const bits = this.#isUnknown ? this.#values.map(() => 0) : this.#bitsFor(storedBytes);
    for (const [column, values] of this.#values.entries()) {
      const bitsPerValue = bits[column] ?? 0;
      this.#pending[column]?.push(bitsPerValue === 0 ? anything : encodeBloom(values, bitsPerValue));
      values.clear();
    }
    this.#isUnknown = false;
    this.#leaves += 1;
    if (this.#leaves % leavesPerSection === 0) this.#flush();
  }

  /** Bits per value of each column: the largest columns are left out until the others fit into their share of the leaf. */
  #bitsFor(storedBytes: number): readonly number[] {
    const sizes = this.#values.map(({ size }) => size);
    const kept = new Set(sizes.keys());
    const bytesMax = Math.floor(storedBytes * leafShareMax) - bloomHeadBytes * sizes.length;
    for (;;) {
      const values = [...kept].reduce((sum, column) => sum + (sizes[column] ?? 0), 0);
      // A byte may be begun for each column.
      const room = Math.floor((8 * (bytesMax - kept.size)) / Math.max(1, values));
      const bits = Math.min(bitsPerValue, room);
      if (kept.size === 0 || bits >= bitsPerValueMin) return sizes.map((_, column) => (kept.has(column) ? bits : 0));
      kept.delete([...kept].reduce((a, b) => ((sizes[b] ?? 0) > (sizes[a] ?? 0) ? b : a)));
    }
  }

  get pendingBytes(): number {
    return this.#object.pendingBytes;
  }

  take(): readonly Buffer[] {
    return this.#object.take();
  }

  /** Undefined if it takes more than its share of the chunk: then it must not be stored. Otherwise the pending bytes complete it. */
  finish(chunkBytes: number): FilterEntry | undefined {
    if (this.#leaves % leavesPerSection !== 0) this.#flush();
    const { fields } = this.#source;
    const directory = encodeDirectory({ leaves: this.#leaves, fields, sections: this.#sections });
    const { length } = this.#object.seal(directory, true);
    const entry = { ...this.#object.entry(this.#leaves), directory: length };
    return entry.size <= chunkBytes * filterShareMax ? entry : undefined;
  }

  #flush(): void {
    for (const filters of this.#pending) this.#sections.push(this.#object.seal(withHash(Buffer.concat(filters)), false).length);
    this.#pending = this.#values.map(() => []);
  }
}
