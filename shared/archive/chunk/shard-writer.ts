import { type RecordKind, recordKind } from '../leaf/column-layout.ts';
import type { DocumentMarks } from '../leaf/document-trim.ts';
import { compareNames } from '../name/compare-names.ts';
import type { ObjectEntry, WriterOptions } from '../object/object-writer.ts';
import type { LeafLocation, Segment } from '../page/index-page.ts';
import { IndexWriter, type PageEntry } from '../page/index-writer.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { objectId, objectName } from '../primitives/identity.ts';
import { ChunkWriter } from './chunk-writer.ts';

/** What a shard adds to the manifest. */
export interface Shard {
  /** Undefined if all records were kept from other backups. */
  readonly chunk: ObjectEntry | undefined;
  readonly index: ObjectEntry;
  readonly pages: readonly PageEntry[];
  /** Records that the index covers: written here and kept. */
  readonly records: number;
  /** The chunks of earlier backups in which the kept records lie: the manifest must list them too. */
  readonly kept: readonly { readonly backup: string; readonly name: string }[];
}

const keptListedBytes = 96;
/** Segments that wait for a leaf to be sealed take memory; beyond this many the leaf is sealed early. */
const mostWaiting = 4096;

/**
 * Writes a range of names: one chunk with the records that are new, one index with all of them. Kept records are only
 * pointed at where they lie in the chunks of earlier backups, so the index is complete and a restore replays nothing.
 */
export class ShardWriter {
  readonly #options: WriterOptions;
  readonly #chunkName: string;
  readonly #index: IndexWriter;
  #chunk: ChunkWriter | undefined;
  #waiting: Waiting[] = [];
  #records = 0;
  readonly #kept = new Map<string, { readonly backup: string; readonly name: string }>();
  /** The name of the record before, if it was kept; the chunk knows the last one that was written. */
  #keptName: Uint8Array | undefined;

  constructor(number: number, options: WriterOptions & { readonly part?: number }) {
    this.#options = options;
    this.#chunkName = objectName('chunk', number, options.part);
    this.#index = new IndexWriter(objectName('index', number, options.part), options);
  }

  /** Adds the document whose encoded bytes lie from `start` to `end`. */
  document(bytes: Uint8Array, start: number, end: number, marks: DocumentMarks): void {
    this.#added(this.#writer().document(bytes, start, end, marks), bytes, marks);
  }

  /** Adds a record of another kind. */
  record(kind: Exclude<RecordKind, 1>, bytes: Uint8Array, marks: DocumentMarks, bodyStart: number, bodyEnd: number): void {
    this.#added(this.#writer().record(kind, bytes, marks, bodyStart, bodyEnd), bytes, marks);
  }

  /** Says that a document of the parent backup is gone; the marks name it in `bytes` and say since when. */
  tombstone(bytes: Uint8Array, marks: DocumentMarks): void {
    this.record(recordKind.tombstone, bytes, marks, 0, 0);
  }

  /**
   * Keeps one record where it lies: `slot` of the leaf that the segment, of an earlier index, is part of. The bytes of the
   * name must stay as they are until the next call.
   */
  keep(segment: Segment, slot: number, name: Uint8Array): void {
    const last = this.#waiting.at(-1);
    this.#records += 1;
    if (this.#keptName && last?.leaf && isSameLeaf(last.leaf, segment) && slot === last.start + last.count) last.count += 1;
    else {
      checkOrder(this.#keptName ?? this.#chunk?.lastName, name);
      const source = { backup: segment.backup, name: segment.object };
      this.#kept.set(objectId(source), source);
      this.#wait({ leaf: segment, start: slot, count: 1, first: Buffer.from(name) });
    }
    this.#keptName = name;
  }

  /**
   * Keeps a whole segment of an earlier index, without reading its leaf. Only where it begins is known: that it ends before the
   * next record is for the caller to know, and is proven to whoever reads the leaves.
   */
  keepSegment(segment: Segment): void {
    const last = this.#waiting.at(-1);
    this.#records += segment.count;
    checkOrder(this.#keptName ?? this.#chunk?.lastName, segment.first);
    if (this.#keptName && last?.leaf && isSameLeaf(last.leaf, segment) && segment.start === last.start + last.count)
      last.count += segment.count;
    else {
      const source = { backup: segment.backup, name: segment.object };
      this.#kept.set(objectId(source), source);
      this.#wait({ leaf: segment, start: segment.start, count: segment.count, first: segment.first });
    }
    this.#keptName = segment.first;
  }

  #writer(): ChunkWriter {
    this.#chunk ??= new ChunkWriter(this.#chunkName, { ...this.#options, onLeaf: (place) => this.#sealed(place) });
    return this.#chunk;
  }

  #added(slot: number, bytes: Uint8Array, { nameStart, nameEnd }: DocumentMarks): void {
    const last = this.#waiting.at(-1);
    if (this.#keptName) checkOrder(this.#keptName, bytes.subarray(nameStart, nameEnd));
    this.#keptName = undefined;
    this.#records += 1;
    if (last && !last.leaf && slot === last.start + last.count) last.count += 1;
    else this.#wait({ leaf: undefined, start: slot, count: 1, first: Buffer.from(bytes.subarray(nameStart, nameEnd)) });
  }

  #wait(waiting: Waiting): void {
    // Nothing can be added to the run before any more: without a leaf to wait for, it is ready.
    if (!this.#chunk?.unsealed) this.#release();
    else if (this.#waiting.length >= mostWaiting && waiting.leaf) this.#chunk.seal();
    this.#waiting.push(waiting);
  }

  #sealed(place: LeafLocation): void {
    for (const waiting of this.#waiting) waiting.leaf ??= place;
    this.#release();
  }

  #release(): void {
    for (const { leaf, start, count, first } of this.#waiting) {
      if (!leaf) throw new Error('a record of a leaf that is not sealed');
      this.#index.add({ ...locationOf(leaf), start, count, first });
    }
    this.#waiting = [];
  }

  /** Bytes ready to be taken of the chunk and of the index. */
  get pendingBytes(): { readonly chunk: number; readonly index: number } {
    return { chunk: this.#chunk?.pendingBytes ?? 0, index: this.#index.pendingBytes };
  }

  /** What its pages and the chunks it keeps records of take where they are listed, about. */
  get listedBytes(): number {
    return this.#index.listedBytes + keptListedBytes * this.#kept.size;
  }

  takeChunk(): readonly Buffer[] {
    return this.#chunk?.take() ?? [];
  }

  takeIndex(): readonly Buffer[] {
    return this.#index.take();
  }

  /** Ends both objects; without a chunk, nothing was written into one and none must be stored. */
  finish(): Shard {
    const chunk = this.#chunk?.finish();
    this.#release();
    const { entry, pages } = this.#index.finish();
    return { chunk, index: entry, pages, records: this.#records, kept: [...this.#kept.values()] };
  }
}

interface Waiting {
  /** Undefined: the leaf being written. */
  leaf: LeafLocation | undefined;
  readonly start: number;
  count: number;
  readonly first: Buffer;
}

const checkOrder = (before: Uint8Array | undefined, name: Uint8Array): void => {
  if (before && compareNames(before, name) >= 0)
    throw new ArchiveError('record-invalid', 'records must come in the order of their names, each once');
};

const isSameLeaf = (a: LeafLocation, b: LeafLocation): boolean =>
  a.frame === b.frame && a.object === b.object && a.backup === b.backup;

const locationOf = (leaf: LeafLocation): LeafLocation => ({
  backup: leaf.backup,
  object: leaf.object,
  frame: leaf.frame,
  offset: leaf.offset,
  keysLength: leaf.keysLength,
  bodiesLength: leaf.bodiesLength,
  records: leaf.records,
  keysSha256: leaf.keysSha256,
  bodiesSha256: leaf.bodiesSha256,
});
