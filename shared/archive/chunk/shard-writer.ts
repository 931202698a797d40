import type { FilterEntry } from '../filter/filter-directory.ts';
import type { FilterSource } from '../filter/filter-writer.ts';
import { type RecordKind, recordKind } from '../leaf/column-layout.ts';
import type { DocumentMarks } from '../leaf/document-trim.ts';
import { compareNames } from '../name/compare-names.ts';
import type { ObjectEntry, WriterOptions } from '../object/object-writer.ts';
import type { LeafLocation, Segment } from '../page/index-page.ts';
import { IndexWriter, type PageEntry } from '../page/index-writer.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { objectId, objectName } from '../primitives/identity.ts';
import { ChunkWriter } from './chunk-writer.ts';

/** The entries that a shard adds to the manifest. */
export interface Shard {
  /** Undefined if all records were kept from earlier backups. */
  readonly chunk: ObjectEntry | undefined;
  /** Undefined if there are no filters of the chunk, or if they are not to be stored. */
  readonly filter?: FilterEntry | undefined;
  readonly index: ObjectEntry;
  readonly pages: readonly PageEntry[];
  /** Records that the index covers, both written and kept. */
  readonly records: number;
  /** Chunks of earlier backups that contain kept records. The manifest must list them too. */
  readonly kept: readonly { readonly backup: string; readonly name: string }[];
}

const keptListedBytes = 96;
/** Pending segments take memory; beyond this number the current leaf is sealed early. */
const maxPendingSegments = 4096;

/**
 * Writes a range of names: one chunk with the new records and one index with all records. Kept records are references into chunks
 * of earlier backups. The index is therefore complete, and a restore replays nothing.
 */
export class ShardWriter {
  readonly #options: WriterOptions & { readonly filter?: FilterSource | undefined };
  readonly #chunkName: string;
  readonly #index: IndexWriter;
  #chunk: ChunkWriter | undefined;
  #pending: PendingSegment[] = [];
  #records = 0;
  readonly #kept = new Map<string, { readonly backup: string; readonly name: string }>();
  /** The previous name if its record was kept; the chunk writer knows the last written one. */
  #keptName: Uint8Array | undefined;

  constructor(number: number, options: WriterOptions & { readonly part?: number; readonly filter?: FilterSource | undefined }) {
    this.#options = options;
    this.#chunkName = objectName('chunk', number, options.part);
    this.#index = new IndexWriter(objectName('index', number, options.part), options);
  }

  document(bytes: Uint8Array, start: number, end: number, marks: DocumentMarks): void {
    this.#onRecordAdded(this.#writer().document(bytes, start, end, marks), bytes, marks);
  }

  record(kind: Exclude<RecordKind, 1>, bytes: Uint8Array, marks: DocumentMarks, bodyStart: number, bodyEnd: number): void {
    this.#onRecordAdded(this.#writer().record(kind, bytes, marks, bodyStart, bodyEnd), bytes, marks);
  }

  /** Adds a tombstone for a document of the parent backup. The marks hold its name in `bytes` and the time of deletion. */
  tombstone(bytes: Uint8Array, marks: DocumentMarks): void {
    this.record(recordKind.tombstone, bytes, marks, 0, 0);
  }

  /**
   * Keeps one record where it is: `slot` of the leaf that `segment` of an earlier index, or another chunk of this backup, belongs to. The bytes of `name` must not
   * change until the next call.
   */
  keep(segment: Segment, slot: number, name: Uint8Array): void {
    const last = this.#pending.at(-1);
    this.#records += 1;
    if (this.#keptName && last?.leaf && isSameLeaf(last.leaf, segment) && slot === last.start + last.count) last.count += 1;
    else {
      checkOrder(this.#keptName ?? this.#chunk?.lastName, name);
      this.#list(segment);
      this.#enqueue({ leaf: segment, start: slot, count: 1, first: Buffer.from(name) });
    }
    this.#keptName = name;
  }

  /**
   * Keeps a whole segment of an earlier index without reading its leaf. The caller guarantees that it ends before the next
   * record; readers of the leaves verify that.
   */
  keepSegment(segment: Segment): void {
    const last = this.#pending.at(-1);
    this.#records += segment.count;
    checkOrder(this.#keptName ?? this.#chunk?.lastName, segment.first);
    if (this.#keptName && last?.leaf && isSameLeaf(last.leaf, segment) && segment.start === last.start + last.count)
      last.count += segment.count;
    else {
      this.#list(segment);
      this.#enqueue({ leaf: segment, start: segment.start, count: segment.count, first: segment.first });
    }
    this.#keptName = segment.first;
  }

  /** The chunks of this backup are listed where they are written. */
  #list({ backup, object: name }: Segment): void {
    if (backup !== this.#options.identity.backup) this.#kept.set(objectId({ backup, name }), { backup, name });
  }

  #writer(): ChunkWriter {
    this.#chunk ??= new ChunkWriter(this.#chunkName, { ...this.#options, onLeaf: (location) => this.#onLeafSealed(location) });
    return this.#chunk;
  }

  #onRecordAdded(slot: number, bytes: Uint8Array, { nameStart, nameEnd }: DocumentMarks): void {
    const last = this.#pending.at(-1);
    if (this.#keptName) checkOrder(this.#keptName, bytes.subarray(nameStart, nameEnd));
    this.#keptName = undefined;
    this.#records += 1;
    if (last && !last.leaf && slot === last.start + last.count) last.count += 1;
    else this.#enqueue({ leaf: undefined, start: slot, count: 1, first: Buffer.from(bytes.subarray(nameStart, nameEnd)) });
  }

  #enqueue(pending: PendingSegment): void {
    // The previous run is complete, so it is ready unless it waits for a leaf.
    if (!this.#chunk?.unsealed) this.#release();
    else if (this.#pending.length >= maxPendingSegments && pending.leaf) this.#chunk.seal();
    this.#pending.push(pending);
  }

  #onLeafSealed(location: LeafLocation): void {
    for (const pending of this.#pending) pending.leaf ??= location;
    this.#release();
  }

  #release(): void {
    for (const { leaf, start, count, first } of this.#pending) {
      if (!leaf) throw new Error('released a record of an unsealed leaf');
      this.#index.add({ ...leaf, start, count, first });
    }
    this.#pending = [];
  }

  /** Bytes ready to be taken, of the chunk, its filters and the index. */
  get pendingBytes(): { readonly chunk: number; readonly filter: number; readonly index: number } {
    return {
      chunk: this.#chunk?.pendingBytes ?? 0,
      filter: this.#chunk?.pendingFilterBytes ?? 0,
      index: this.#index.pendingBytes,
    };
  }

  /** Approximate size of its pages and kept chunks where they are listed. */
  get listedBytes(): number {
    return this.#index.listedBytes + keptListedBytes * this.#kept.size;
  }

  takeChunk(): readonly Buffer[] {
    return this.#chunk?.take() ?? [];
  }

  takeFilter(): readonly Buffer[] {
    return this.#chunk?.takeFilter() ?? [];
  }

  takeIndex(): readonly Buffer[] {
    return this.#index.take();
  }

  /** Completes the objects. Without written records there is no chunk to store. */
  finish(): Shard {
    const chunk = this.#chunk?.finish();
    const filter = chunk && this.#chunk?.finishFilter(chunk);
    this.#release();
    const { entry, pages } = this.#index.finish();
    return { chunk, filter, index: entry, pages, records: this.#records, kept: [...this.#kept.values()] };
  }
}

interface PendingSegment {
  /** Undefined for the current leaf. */
  leaf: LeafLocation | undefined;
  readonly start: number;
  count: number;
  readonly first: Buffer;
}

const checkOrder = (before: Uint8Array | undefined, name: Uint8Array): void => {
  if (before && compareNames(before, name) >= 0)
    throw new ArchiveError('record-invalid', 'records must be unique and in name order');
};

const isSameLeaf = (a: LeafLocation, b: LeafLocation): boolean =>
  a.frame === b.frame && a.object === b.object && a.backup === b.backup;
