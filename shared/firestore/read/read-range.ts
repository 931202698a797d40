import type { FirestoreDatabase } from '../firestore-database.ts';
import { FrameBuffer } from '../grpc/frame-buffer.ts';
import type { GrpcStream } from '../grpc/grpc-stream.ts';
import type { RetryState } from '../grpc/retry-state.ts';
import { RpcError } from '../grpc/status.ts';
import { isInRange, type NameRange } from '../names/name-range.ts';
import { runQuery } from '../wire/query-requests.ts';
import { CollectionCounts } from './collection-counts.ts';
import { DocumentBatch } from './document-batch.ts';

export interface ReadRangeOptions {
  readonly range: NameRange;
  readonly readTime: string;
  /** Only the documents of this collection group. */
  readonly collectionId?: string | undefined;
  /** Full name of a document: resumes after it, possibly on another worker. */
  readonly after?: string | undefined;
  /** At most so many documents, the first ones of the range. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Approximate size of a batch. */
  readonly batchBytes?: number;
  /** Stops before a new collection once `collections` has this JSON size. */
  readonly collectionBytesMax?: number;
}

/** 256 KiB is large compared to the overhead of a batch and small compared to the memory of a function. */
const defaultBatchBytes = 256 << 10;

/**
 * Reads every document of a range as of the read time, once, in name order and byte for byte. A broken stream resumes after the
 * last document at the same read time. A stream that ends may be incomplete: see `verifyCount`.
 */
export const readRange = (source: FirestoreDatabase, options: ReadRangeOptions): RangeReader => new RangeReader(source, options);

/** The documents of a range in name order; its numbers cover the batches yielded so far. */
export interface DocumentRange extends AsyncIterable<DocumentBatch> {
  readonly documents: number;
  /** Total size of the encoded documents. */
  readonly bytes: number;
  /** Billed reads. */
  readonly reads: number;
  /** Whether it stopped early because of `collectionBytesMax`. */
  readonly isFull: boolean;
  /** Full name of the last yielded document. */
  readonly lastName: string | undefined;
  /** Document counts by collection id. */
  readonly collections: ReadonlyMap<string, number>;
}

/** A running read of the source. */
export class RangeReader implements DocumentRange {
  documents = 0;
  bytes = 0;
  isFull = false;
  #received = 0;
  #receivedBytes = 0;
  #isDone = false;
  readonly #source: FirestoreDatabase;
  readonly #options: ReadRangeOptions;
  readonly #retries: RetryState;
  readonly #counts: CollectionCounts;
  readonly #batch = new DocumentBatch();
  readonly #buffer: FrameBuffer;
  readonly #batchBytes: number;

  constructor(source: FirestoreDatabase, options: ReadRangeOptions) {
    const { after, range, collectionBytesMax, limit = 1 } = options;
    if (limit < 1) throw new RangeError('a read has at least one document');
    if (after !== undefined && !isInRange(after.slice(source.root.length + 1), range))
      throw new TypeError('a read can only resume after a document of its range');
    this.#source = source;
    this.#options = options;
    this.#retries = source.newRetryState(options.signal);
    this.#batchBytes = options.batchBytes ?? defaultBatchBytes;
    this.#counts = new CollectionCounts(after === undefined ? undefined : Buffer.from(after), collectionBytesMax);
    // Room for one more HTTP/2 frame.
    this.#buffer = new FrameBuffer(this.#batchBytes + (64 << 10));
  }

  /** Number of resumed streams. */
  get resumes(): number {
    return this.#retries.repeats;
  }

  /** What was received; an empty query is billed, too. */
  get reads(): number {
    return this.#received === 0 && !this.#isDone ? 0 : this.#source.billing.query(this.#received, this.#receivedBytes);
  }

  get lastName(): string | undefined {
    return this.#counts.lastName?.toString();
  }

  get collections(): ReadonlyMap<string, number> {
    return this.#counts.counts;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<DocumentBatch, void, undefined> {
    for (;;) {
      let stream: GrpcStream | undefined;
      if (this.documents === this.#options.limit) return;
      try {
        stream = await this.#open();
        yield* this.#batches(stream);
        this.#isDone = true;
        return;
      } catch (error) {
        if (error instanceof RpcError) stream?.suspect(error);
        await this.#retries.failed(error);
      } finally {
        stream?.cancel();
      }
    }
  }

  #open(): Promise<GrpcStream> {
    const { range, readTime, collectionId, limit, signal } = this.#options;
    const selection = { range, after: this.#counts.lastName, collectionId, limit: limit && limit - this.documents };
    const request = runQuery({ root: this.#source.root, readTime }, selection);
    const refresh = this.#retries.needsToken;
    return this.#source.startCall('RunQuery', request, { buffer: this.#buffer, refresh, wantedBytes: this.#batchBytes, signal });
  }

  async *#batches(stream: GrpcStream): AsyncGenerator<DocumentBatch, void, undefined> {
    const batch = this.#batch;
    for (;;) {
      await stream.wait();
      const { isOver } = stream;
      const end = batch.load(this.#buffer);
      if (batch.count > 0) {
        const taken = this.#counts.add(batch);
        this.#retries.progress();
        this.#received += batch.count;
        this.#receivedBytes += batch.documentBytes;
        this.isFull = taken < batch.count;
        if (this.isFull) batch.keep(taken);
        this.documents += batch.count;
        this.bytes += batch.documentBytes;
        if (batch.count > 0) yield batch;
        if (this.isFull) return;
      }
      this.#buffer.drop(end);
      if (!isOver) continue;
      if (stream.failure) throw stream.failure;
      if (this.#buffer.filled > 0) throw new RpcError('INTERNAL', 'The response of the source ended within a message.');
      return;
    }
  }
}
