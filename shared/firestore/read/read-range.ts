import type { FirestoreDatabase } from '../firestore-database.ts';
import { FrameBuffer } from '../grpc/frame-buffer.ts';
import type { GrpcStream } from '../grpc/grpc-stream.ts';
import type { RetryState } from '../grpc/retry-state.ts';
import { RpcError } from '../grpc/status.ts';
import { isInRange, type NameRange } from '../names/name-range.ts';
import { runQuery } from '../wire/query-requests.ts';
import { CollectionCounts } from './collection-counts.ts';
import { DocumentBatch } from './document-batch.ts';

export interface ReadOptions {
  readonly range: NameRange;
  readonly readTime: string;
  /** The full name of a document: reads only what comes after it, so that a read can be taken up by another worker. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** About this much is given out at once. */
  readonly batchBytes?: number;
  /** It ends before a document of one more collection if `collections` has so many bytes by then, as JSON. */
  readonly collectionBytesMax?: number;
}

/** 256 KiB is large against what a batch costs by itself, and small against the memory of a function. */
const usualBatchBytes = 256 << 10;

/**
 * Reads a range: every document that was there at the read time, once, in name order, as the source encoded it. A stream that
 * breaks is taken up after the last document at the same read time. That it ended does not prove that it was whole: see
 * `verifyCount`.
 */
export const readRange = (source: FirestoreDatabase, options: ReadOptions): RangeReader => new RangeReader(source, options);

/** A read under way; its numbers are those of the batches given out so far. */
export class RangeReader implements AsyncIterable<DocumentBatch> {
  documents = 0;
  /** Of the encoded documents. */
  bytes = 0;
  /** Documents that are known to have been sent, each billed as a read; a query that finds nothing is billed as one. */
  reads = 0;
  /** That it ended before its range did, for `collectionBytesMax`. */
  isFull = false;
  readonly #source: FirestoreDatabase;
  readonly #options: ReadOptions;
  readonly #attempts: RetryState;
  readonly #tally: CollectionCounts;
  readonly #batch = new DocumentBatch();
  readonly #buffer: FrameBuffer;
  readonly #batchBytes: number;

  constructor(source: FirestoreDatabase, options: ReadOptions) {
    const { after, range, collectionBytesMax } = options;
    if (after !== undefined && !isInRange(after.slice(source.root.length + 1), range))
      throw new TypeError('a read goes on after a document of its range');
    this.#source = source;
    this.#options = options;
    this.#attempts = source.newRetryState(options.signal);
    this.#batchBytes = options.batchBytes ?? usualBatchBytes;
    this.#tally = new CollectionCounts(after === undefined ? undefined : Buffer.from(after), collectionBytesMax);
    // Room for a frame of HTTP/2 beyond what is wanted.
    this.#buffer = new FrameBuffer(this.#batchBytes + (64 << 10));
  }

  /** How often a broken stream was taken up again. */
  get resumes(): number {
    return this.#attempts.repeats;
  }

  /** The full name of the last document given out. */
  get lastName(): string | undefined {
    return this.#tally.lastName?.toString();
  }

  /** Documents by the id of the collection they are in. */
  get collections(): ReadonlyMap<string, number> {
    return this.#tally.counts;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<DocumentBatch, void, undefined> {
    for (;;) {
      let stream: GrpcStream | undefined;
      try {
        stream = await this.#open();
        yield* this.#batches(stream);
        if (this.reads === 0) this.reads = 1;
        return;
      } catch (error) {
        if (error instanceof RpcError) stream?.suspect(error);
        await this.#attempts.failed(error);
      } finally {
        stream?.cancel();
      }
    }
  }

  #open(): Promise<GrpcStream> {
    const { range, readTime, signal } = this.#options;
    const request = runQuery({ root: this.#source.root, readTime }, { range, after: this.#tally.lastName });
    const refresh = this.#attempts.needsToken;
    return this.#source.startCall('RunQuery', request, this.#buffer, { refresh, wantedBytes: this.#batchBytes, signal });
  }

  async *#batches(stream: GrpcStream): AsyncGenerator<DocumentBatch, void, undefined> {
    const batch = this.#batch;
    for (;;) {
      await stream.wait();
      const { isOver } = stream;
      const end = batch.load(this.#buffer);
      if (batch.count > 0) {
        const taken = this.#tally.add(batch);
        this.#attempts.progress();
        this.reads += batch.count;
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
      if (this.#buffer.filled > 0) throw new RpcError('INTERNAL', 'The answer of the source ended within a message.');
      return;
    }
  }
}
