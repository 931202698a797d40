import type { FirestoreDatabase } from '../firestore-database.ts';
import { cancelled, SourceError } from '../grpc/source-error.ts';
import { BatchSender } from './batch-sender.ts';
import { asWriteError } from './classify-write.ts';
import type { Condition } from './precondition.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { Semaphore } from './semaphore.ts';
import type { SenderContext, SentWrites } from './sender-context.ts';
import { type BatchLimit, batchLimit, requestBytesMax, WriteBatch } from './write-batch.ts';
import { WriteEncoder, type WriteMode } from './write-encoder.ts';
import type { WriteStatus } from './write-statuses.ts';
import { WriteTally } from './write-tally.ts';

export interface BatchWriterOptions {
  /** Stops writing: nothing more is sent, and calls in flight get a few seconds to finish. */
  readonly signal?: AbortSignal | undefined;
  /** Without it only the target limits the rate. */
  readonly rateLimiter?: RateLimiter | undefined;
  /** Whether an earlier run may have sent the same writes with unknown outcome. */
  readonly isRepeat?: boolean;
  readonly requestsAtOnce?: number;
  readonly limit?: Partial<BatchLimit>;
}

const defaultConcurrency = 4;
/** Grace period of calls in flight after a stop: a late response is one write less in doubt. */
const graceMs = 5_000;

/**
 * Writes archived documents to a database in batches, several at once and unordered; `WriteTally` accounts for each write. The
 * first error that does not concern a single document ends the writer: nothing more is sent, and every further call throws it.
 */
export class BatchWriter {
  readonly tally = new WriteTally();
  readonly #options: BatchWriterOptions;
  readonly #limit: BatchLimit;
  /** The beginning of all names of the target. */
  readonly #prefix: string;
  readonly #encoder = new WriteEncoder();
  readonly #context: SenderContext;
  readonly #stopAbort = new AbortController();
  readonly #callAbort = new AbortController();
  readonly #sending = new Set<Promise<void>>();
  /** Names with an open write: two writes of one document must not overtake each other. */
  readonly #names = new Set<string>();
  readonly #openMax: number;
  readonly #spare: WriteBatch[] = [];
  #filling: WriteBatch | undefined;
  #openBatches = 0;
  #failure: { readonly error: unknown } | undefined;
  #waiters: (() => void)[] = [];

  constructor(target: FirestoreDatabase, options: BatchWriterOptions = {}) {
    const { signal, rateLimiter, requestsAtOnce = defaultConcurrency } = options;
    this.#prefix = `${target.root}/`;
    this.#options = options;
    this.#limit = { ...batchLimit, ...options.limit };
    // As many again may wait for a slot or a retry.
    this.#openMax = 2 * requestsAtOnce;
    this.#context = {
      target,
      semaphore: new Semaphore(requestsAtOnce, this.#stopAbort.signal),
      rateLimiter,
      retryOptions: target.retryOptions(this.#stopAbort.signal),
      callSignal: this.#callAbort.signal,
      decided: 0,
      send: (writes) => this.#startSender(writes),
      settle: (batch, slot, outcome) => this.#settle(batch, slot, outcome),
    };
    if (signal?.aborted) this.#fail(cancelled());
    else signal?.addEventListener('abort', this.#abort);
  }

  /**
   * Writes an encoded document of the target. Await the result before the next call, and do not change the bytes until then. If
   * the precondition fails, the target stays unchanged and the write fails, unless it was already applied.
   */
  put(document: Uint8Array, mode: Exclude<WriteMode, 'delete'>, condition?: Condition): Promise<void> | undefined {
    return this.#take(() => this.#encoder.put(document, mode, condition));
  }

  /** Deletes a document by path; a missing document is not a failure. Otherwise like `put`. */
  delete(path: string, condition?: Condition): Promise<void> | undefined {
    return this.#take(() => this.#encoder.delete(this.#prefix + path, condition));
  }

  /** Resolves when the outcome of all writes so far is known, so that a worker may checkpoint. */
  async flush(): Promise<void> {
    this.#send();
    while (this.#sending.size > 0) await Promise.all(this.#sending);
    this.#check();
  }

  /** Finishes all writes. Throws COUNT_MISMATCH if the outcome of a write is unknown. */
  async end(): Promise<WriteTally> {
    await this.flush();
    this.#options.signal?.removeEventListener('abort', this.#abort);
    const { open, given } = this.tally;
    if (open !== 0) throw new SourceError('COUNT_MISMATCH', `The outcome of ${open} of ${given} writes is unknown.`);
    return this.tally;
  }

  #take(encode: () => void): Promise<void> | undefined {
    this.#check();
    encode();
    const { name } = this.#encoder;
    if (!name.startsWith(this.#prefix)) throw new TypeError('the document does not belong to the target');
    if (!this.#names.has(name)) return this.#add(name);
    return this.flush().then(() => {
      encode();
      return this.#add(name);
    });
  }

  #add(name: string): Promise<void> | undefined {
    this.tally.given += 1;
    if (this.#encoder.sink.length > requestBytesMax) {
      this.tally.fail(this.#pathOf(name), 'INVALID_ARGUMENT', 'The document exceeds the maximum request size.');
      return undefined;
    }
    if (this.#filling && !this.#filling.hasRoomFor(this.#encoder)) this.#send();
    this.#filling ??= this.#spare.pop() ?? new WriteBatch(this.#limit);
    this.#names.add(name);
    this.#filling.add(this.#encoder, name, this.#options.isRepeat ?? false);
    if (this.#filling.isFull) this.#send();
    return this.#openBatches >= this.#openMax ? this.#room() : undefined;
  }

  async #room(): Promise<void> {
    while (this.#openBatches >= this.#openMax && !this.#failure) await new Promise<void>((wake) => this.#waiters.push(wake));
    this.#check();
  }

  #send(): void {
    const batch = this.#filling;
    this.#filling = undefined;
    if (!batch) return;
    this.#openBatches += 1;
    const slots = Array.from({ length: batch.count }, (_, slot) => slot);
    this.#startSender({ batch, slots, failures: 0 });
  }

  #startSender(writes: SentWrites): void {
    const sending = new BatchSender(this.#context, writes)
      .run()
      .catch((error: unknown) => this.#fail(asWriteError(error)))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  #settle(batch: WriteBatch, slot: number, outcome: 'written' | 'skipped' | WriteStatus): void {
    const { tally } = this;
    const { name, mode } = batch.slot(slot);
    this.#names.delete(name);
    if (outcome === 'skipped') tally.skipped += 1;
    else if (outcome === 'written') {
      tally.written += 1;
      if (mode === 'delete') tally.deleted += 1;
    } else tally.fail(this.#pathOf(name), outcome.status, outcome.message);
    batch.open -= 1;
    if (batch.open > 0) return;
    this.#openBatches -= 1;
    batch.clear();
    this.#spare.push(batch);
    this.#wakeAll();
  }

  #pathOf(name: string): string {
    return name.slice(this.#prefix.length);
  }

  readonly #abort = (): void => this.#fail(cancelled());

  #fail(error: unknown): void {
    if (this.#failure) return;
    this.#failure = { error };
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#stopAbort.abort();
    const timer = setTimeout(() => this.#callAbort.abort(), graceMs);
    timer.unref();
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#waiters.splice(0)) wake();
  }

  #check(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
