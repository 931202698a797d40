/** Streams one part of a shard into the store: a chunk with the records, and their index. */
import {
  DocumentSkim,
  type FilterEntry,
  type FilterSource,
  filterName,
  LeafCopier,
  type LeafLocation,
  objectName,
  type PackedLeaf,
  type ProtobufTimestamp,
  recordKind,
  type Segment,
  ShardWriter,
  type WriterOptions,
} from '../../archive/index.ts';
import { type ObjectStore, type PutOptions, StorageError, type Upload } from '../../destination/index.ts';
import type { DocumentBatch } from '../../firestore/index.ts';
import { omitUndefined } from '../../platform/index.ts';
import { copiedName } from '../model/part-objects.ts';
import type { PartContents } from '../model/record.ts';

const noTimes = { createdSeconds: 0, createdNanos: 0, updatedSeconds: 0, updatedNanos: 0 };

const timesOf = ({ createdSeconds, createdNanos, updatedSeconds, updatedNanos }: DocumentSkim) => ({
  createdSeconds,
  createdNanos,
  updatedSeconds,
  updatedNanos,
});

/** Bytes buffered before they are passed to an upload: large compared to the cost of a call, small compared to an upload part. */
const bufferedBytes = 1 << 20;

interface PartOptions extends WriterOptions {
  /** The number of the shard. */
  readonly number: number;
  readonly part: number;
  readonly put: PutOptions;
  /** What a search may look for; undefined to write no filters. */
  readonly filter?: FilterSource | undefined;
}

/** Memory is bounded: a leaf, the buffered bytes and the buffers of the uploads. */
export class PartWriter {
  readonly #writer: ShardWriter;
  readonly #chunk: LazyUpload;
  readonly #index: LazyUpload;
  readonly #copies: LazyUpload;
  readonly #filter: LazyUpload;
  readonly #copiesFilter: LazyUpload;
  readonly #newCopier: () => LeafCopier;
  #copier: LeafCopier | undefined;
  readonly #marks = new DocumentSkim();
  #records = 0;
  #tombstones = 0;

  constructor(store: ObjectStore, { number, part, put, ...writing }: PartOptions) {
    this.#writer = new ShardWriter(number, { ...writing, part });
    this.#chunk = new LazyUpload(store, objectName('chunk', number, part), put);
    this.#index = new LazyUpload(store, objectName('index', number, part), put);
    this.#copies = new LazyUpload(store, copiedName(number, part), put);
    this.#filter = new LazyUpload(store, filterName(objectName('chunk', number, part)), put);
    this.#copiesFilter = new LazyUpload(store, filterName(copiedName(number, part)), put);
    this.#newCopier = () => new LeafCopier(copiedName(number, part), writing);
  }

  /** Decodes and allocates nothing per document: the bytes are copied once, into the leaf. */
  documents(batch: DocumentBatch): void {
    const marks = this.#marks;
    for (let i = 0; i < batch.count; i++) {
      batch.at(i, marks);
      this.#writer.document(batch.bytes, marks.start, marks.end, marks);
    }
    this.#records += batch.count;
  }

  /** One document of a batch, by its offsets. */
  documentAt(batch: DocumentBatch, marks: DocumentSkim): void {
    this.#writer.document(batch.bytes, marks.start, marks.end, marks);
    this.#records += 1;
  }

  /** Inherits a record of an earlier backup. The bytes of the name must not change until the next call. */
  keep(segment: Segment, slot: number, name: Uint8Array): void {
    this.#writer.keep(segment, slot, name);
    this.#records += 1;
  }

  /** Inherits all records of a segment of an earlier index, without reading them. */
  keepSegment(segment: Segment): void {
    this.#writer.keepSegment(segment);
    this.#records += segment.count;
  }

  /** Copies a leaf of another backup; its records are in this backup once they are kept from where it is then. */
  copyLeaf(leaf: PackedLeaf): LeafLocation {
    this.#copier ??= this.#newCopier();
    return this.#copier.copy(leaf);
  }

  /** Refers to a tombstone in another chunk of this backup. The bytes of the name must not change until the next call. */
  keepTombstone(segment: Segment, slot: number, name: Uint8Array): void {
    this.keep(segment, slot, name);
    this.#tombstones += 1;
  }

  /** A tombstone: the document of this full name, which an earlier backup has, was deleted by that time. */
  deleted(name: Uint8Array, { seconds, nanos }: ProtobufTimestamp): void {
    const marks = { ...noTimes, updatedSeconds: seconds, updatedNanos: nanos, nameStart: 0, nameEnd: name.length };
    this.#writer.tombstone(name, marks);
    this.#records += 1;
    this.#tombstones += 1;
  }

  document(bytes: Uint8Array): void {
    this.#marks.read(bytes, 0, bytes.length);
    this.#writer.document(bytes, 0, bytes.length, this.#marks);
    this.#records += 1;
  }

  /** A tombstone without a time; or, with `live`, a record that only states the times of an existing document. */
  tombstone(name: Uint8Array, live?: Uint8Array): void {
    const marks = this.#marks;
    if (live) marks.read(live, 0, live.length);
    this.#writer.tombstone(name, { ...(live ? timesOf(marks) : noTimes), nameStart: 0, nameEnd: name.length });
    this.#records += 1;
    this.#tombstones += 1;
  }

  user(id: string, json: Uint8Array): void {
    const name = Buffer.from(`accounts/${id}`);
    const marks = { nameStart: 0, nameEnd: name.length, ...noTimes };
    const bytes = Buffer.concat([name, json]);
    this.#writer.record(recordKind.user, bytes, marks, name.length, bytes.length);
    this.#records += 1;
  }

  get listedBytes(): number {
    return this.#writer.listedBytes;
  }

  /** Passes on the buffered bytes; waits if the store is slower than the source. */
  async drain(): Promise<void> {
    const { chunk, filter, index } = this.#writer.pendingBytes;
    if (chunk >= bufferedBytes) await this.#chunk.write(this.#writer.takeChunk());
    if (index >= bufferedBytes) await this.#index.write(this.#writer.takeIndex());
    if (filter >= bufferedBytes) await this.#filter.write(this.#writer.takeFilter());
    if (!this.#copier) return;
    if (this.#copier.pendingBytes >= bufferedBytes) await this.#copies.write(this.#copier.take());
    if (this.#copier.pendingFilterBytes >= bufferedBytes) await this.#copiesFilter.write(this.#copier.takeFilter());
  }

  /** Resolves when its objects are stored with the written sizes. An empty part stores nothing, or an empty index if it must be listed. */
  async finish({ isListed = false } = {}): Promise<Omit<PartContents, 'originalSize' | 'collections'> | undefined> {
    if (this.#records === 0 && !isListed) return undefined;
    const { chunk, filter, index, pages, records, kept } = this.#writer.finish();
    const copied = this.#copier?.finish();
    const copiedFilter = copied && this.#copier?.finishFilter(copied);
    const finishing = [
      chunk ? this.#chunk.finish(this.#writer.takeChunk(), chunk.size) : undefined,
      copied && this.#copier ? this.#copies.finish(this.#copier.take(), copied.size) : undefined,
      this.#index.finish(this.#writer.takeIndex(), index.size),
      finishFilter(this.#filter, filter, this.#writer.takeFilter()),
      finishFilter(this.#copiesFilter, copiedFilter, this.#copier?.takeFilter() ?? []),
    ] as const;
    // If one fails, the other is aborted, and nothing is in flight any more when the error is thrown.
    for (const one of finishing) one?.catch(() => this.abort());
    await Promise.allSettled(finishing);
    const [ofChunk, ofCopied, ofIndex, ofFilter, ofCopiedFilter] = await Promise.all(finishing);
    return {
      ...(chunk && { chunk }),
      ...(copied && { copied }),
      ...(filter && { filter }),
      ...(copiedFilter && { copiedFilter }),
      index,
      checksums: omitUndefined({
        chunk: ofChunk,
        copied: ofCopied,
        index: ofIndex,
        filter: ofFilter,
        copiedFilter: ofCopiedFilter,
      }),
      pages,
      records,
      ...(kept.length > 0 && { kept }),
      ...(this.#tombstones > 0 && { tombstones: this.#tombstones }),
    };
  }

  async abort(): Promise<void> {
    const uploads = [this.#chunk, this.#copies, this.#index, this.#filter, this.#copiesFilter];
    await Promise.allSettled(uploads.map((upload) => upload.abort()));
  }
}

/** Filters without an entry take too much and are not stored, although their upload may have begun. */
export const finishFilter = async (
  upload: LazyUpload,
  entry: FilterEntry | undefined,
  last: readonly Uint8Array[],
): Promise<string | undefined> => {
  if (entry) return upload.finish(last, entry.size);
  await upload.abort();
  return undefined;
};

/** Starts the upload with the first bytes. */
export class LazyUpload {
  readonly #begin: () => Upload;
  #upload: Upload | undefined;

  constructor(store: ObjectStore, name: string, options: PutOptions) {
    this.#begin = () => store.upload(name, options);
  }

  async write(pieces: readonly Uint8Array[]): Promise<void> {
    this.#upload ??= this.#begin();
    await this.#upload.write(pieces);
  }

  /** The checksum of what was sent. */
  async finish(last: readonly Uint8Array[], expectedBytes: number): Promise<string | undefined> {
    await this.write(last);
    const stored = await this.#upload?.finish();
    if (stored?.size !== expectedBytes)
      throw new StorageError('invalid', `The store has ${stored?.size ?? 0} bytes where ${expectedBytes} were sent.`);
    return stored.checksum;
  }

  async abort(): Promise<void> {
    await this.#upload?.abort();
  }
}
