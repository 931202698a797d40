import type { FilterEntry } from '../filter/filter-directory.ts';
import { type FilterSource, FilterWriter } from '../filter/filter-writer.ts';
import { type RecordKind, recordKind } from '../leaf/column-layout.ts';
import { type DocumentMarks, DocumentTrim } from '../leaf/document-trim.ts';
import { LeafWriter } from '../leaf/leaf-writer.ts';
import { type ObjectEntry, ObjectWriter, type WriterOptions } from '../object/object-writer.ts';
import { type LeafLocation, leafLocation } from '../page/index-page.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { objectKind } from '../primitives/identity.ts';

interface ChunkOptions extends WriterOptions {
  /** True by default: records out of order are rejected. False for changes in the order in which they happened. */
  readonly ordered?: boolean;
  /** Called with the location of each leaf as soon as it is sealed. */
  readonly onLeaf?: (location: LeafLocation) => void;
  /** Writes filters of the leaves into an object of their own. */
  readonly filter?: FilterSource | undefined;
}

/** Writes records into leaves of two frames each: keys, then bodies. Records are copied. */
export class ChunkWriter {
  readonly #object: ObjectWriter;
  readonly #leaf: LeafWriter;
  readonly #trim = new DocumentTrim();
  readonly #onLeaf: ((location: LeafLocation) => void) | undefined;
  readonly #source: { readonly backup: string; readonly object: string };
  readonly #filter: FilterWriter | undefined;
  #records = 0;

  constructor(name: string, options: ChunkOptions) {
    if (objectKind(name) !== 'chunk') throw new ArchiveError('header-invalid', 'not a chunk name');
    this.#object = new ObjectWriter(name, options);
    this.#leaf = new LeafWriter(options.ordered ?? true);
    this.#onLeaf = options.onLeaf;
    this.#source = { backup: options.identity.backup, object: name };
    this.#filter = options.filter && new FilterWriter(name, options, options.filter);
  }

  /** Adds the document encoded in bytes `start` to `end`; returns its slot in the current leaf. */
  document(bytes: Uint8Array, start: number, end: number, marks: DocumentMarks): number {
    const trim = this.#trim;
    trim.trim(bytes, start, end, marks);
    const slot = this.#add(recordKind.document | trim.flags, bytes, marks, trim.bodyStart, trim.bodyEnd);
    this.#filter?.document(bytes, marks.nameStart, marks.nameEnd, bytes, start, end);
    return slot;
  }

  /** Adds a record of another kind. Name and body lie in `bytes`; a tombstone has no body. */
  record(kind: Exclude<RecordKind, 1>, bytes: Uint8Array, marks: DocumentMarks, bodyStart: number, bodyEnd: number): number {
    return this.#add(kind, bytes, marks, bodyStart, bodyEnd);
  }

  #add(flags: number, bytes: Uint8Array, marks: DocumentMarks, bodyStart: number, bodyEnd: number): number {
    if (this.#leaf.isFullFor(marks.nameEnd - marks.nameStart, bodyEnd - bodyStart)) this.#flush(false);
    this.#leaf.add(flags, bytes, marks, bodyStart, bodyEnd);
    this.#records += 1;
    return this.#leaf.count - 1;
  }

  /** Records of the current leaf that are not sealed yet. */
  get unsealed(): number {
    return this.#leaf.count;
  }

  /** The name of the last added record, valid until the next one; undefined before the first. */
  get lastName(): Uint8Array | undefined {
    return this.#leaf.lastName;
  }

  /** Seals the current leaf early, so that its location is known. */
  seal(): void {
    if (this.#leaf.count > 0) this.#flush(false);
  }

  get pendingBytes(): number {
    return this.#object.pendingBytes;
  }

  take(): readonly Buffer[] {
    return this.#object.take();
  }

  /** Writes the last leaf; the pending bytes then complete the object. */
  finish(): ObjectEntry {
    this.#flush(true);
    return this.#object.entry(this.#records);
  }

  /** After `finish`: the entry of the filters, whose pending bytes complete them; undefined if none are to be stored. */
  finishFilter({ size }: ObjectEntry): FilterEntry | undefined {
    return this.#filter?.finish(size);
  }

  get pendingFilterBytes(): number {
    return this.#filter?.pendingBytes ?? 0;
  }

  takeFilter(): readonly Buffer[] {
    return this.#filter?.take() ?? [];
  }

  #flush(last: boolean): void {
    const { count } = this.#leaf;
    const keys = this.#object.seal(this.#leaf.keys(), false);
    const bodies = this.#object.seal(this.#leaf.bodies(), last);
    this.#leaf.reset();
    this.#filter?.endLeaf(keys.length + bodies.length);
    this.#onLeaf?.(leafLocation({ ...this.#source, records: count }, keys, bodies));
  }
}
