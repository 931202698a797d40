import { type RecordKind, recordKind } from '../leaf/column-layout.ts';
import { type DocumentMarks, DocumentTrim } from '../leaf/document-trim.ts';
import { LeafWriter } from '../leaf/leaf-writer.ts';
import { type ObjectEntry, ObjectWriter, type WriterOptions } from '../object/object-writer.ts';
import type { LeafLocation } from '../page/index-page.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { objectKind } from '../primitives/identity.ts';

/** Where a leaf went, told as soon as it is sealed. */
export interface ChunkOptions extends WriterOptions {
  /** False for changes in the order they happened; true unless said, and then a record out of order is refused. */
  readonly ordered?: boolean;
  readonly onLeaf?: (place: LeafLocation) => void;
}

/** Writes records into leaves, each of two frames: keys, then bodies. A record is copied when added and not held onto. */
export class ChunkWriter {
  readonly #object: ObjectWriter;
  readonly #leaf: LeafWriter;
  readonly #cut = new DocumentTrim();
  readonly #onLeaf: ((place: LeafLocation) => void) | undefined;
  readonly #from: { readonly backup: string; readonly object: string };
  #records = 0;

  constructor(name: string, options: ChunkOptions) {
    if (objectKind(name) !== 'chunk') throw new ArchiveError('header-invalid', 'not the name of a chunk');
    this.#object = new ObjectWriter(name, options);
    this.#leaf = new LeafWriter(options.ordered ?? true);
    this.#onLeaf = options.onLeaf;
    this.#from = { backup: options.identity.backup, object: name };
  }

  /** Adds the document whose encoded bytes lie from `start` to `end`; answers its slot in the leaf being written. */
  document(bytes: Uint8Array, start: number, end: number, marks: DocumentMarks): number {
    const cut = this.#cut;
    cut.trim(bytes, start, end, marks);
    return this.#add(recordKind.document | cut.flags, bytes, marks, cut.bodyStart, cut.bodyEnd);
  }

  /** Adds any other record. Name and body lie in the same bytes; a tombstone has no body. */
  record(kind: Exclude<RecordKind, 1>, bytes: Uint8Array, marks: DocumentMarks, bodyStart: number, bodyEnd: number): number {
    return this.#add(kind, bytes, marks, bodyStart, bodyEnd);
  }

  #add(flags: number, bytes: Uint8Array, marks: DocumentMarks, bodyStart: number, bodyEnd: number): number {
    if (this.#leaf.isFullFor(marks.nameEnd - marks.nameStart, bodyEnd - bodyStart)) this.#flush(false);
    this.#leaf.add(flags, bytes, marks, bodyStart, bodyEnd);
    this.#records += 1;
    return this.#leaf.count - 1;
  }

  /** Records that are in no frame yet. */
  get unsealed(): number {
    return this.#leaf.count;
  }

  /** Of the record added last, valid until the next; undefined before the first. */
  get lastName(): Uint8Array | undefined {
    return this.#leaf.lastName;
  }

  /** Ends the leaf early, so that its place is known. */
  seal(): void {
    if (this.#leaf.count > 0) this.#flush(false);
  }

  get pendingBytes(): number {
    return this.#object.pendingBytes;
  }

  take(): readonly Buffer[] {
    return this.#object.take();
  }

  /** Writes the last leaf; what is pending then is the end of the object. */
  finish(): ObjectEntry {
    this.#flush(true);
    return this.#object.entry(this.#records);
  }

  #flush(last: boolean): void {
    const { count } = this.#leaf;
    const keys = this.#object.seal(this.#leaf.keys(), false);
    const bodies = this.#object.seal(this.#leaf.bodies(), last);
    this.#leaf.reset();
    this.#onLeaf?.({
      ...this.#from,
      frame: keys.frame,
      offset: keys.offset,
      keysLength: keys.length,
      bodiesLength: bodies.length,
      records: count,
      keysSha256: keys.sha256,
      bodiesSha256: bodies.sha256,
    });
  }
}
