import type { FirestoreDatabase } from '../firestore-database.ts';
import { cancelled, SourceError } from '../grpc/source-error.ts';
import type { WriteStatus } from './batch-response.ts';
import { BatchSender } from './batch-sender.ts';
import { asWriteError } from './classify-write.ts';
import type { Condition } from './precondition.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { Semaphore } from './semaphore.ts';
import type { SenderContext } from './sender-context.ts';
import { type BatchLimit, batchLimit, requestBytesMax, WriteBatch } from './write-batch.ts';
import { WriteEncoder, type WriteMode } from './write-encoder.ts';
import { WriteTally } from './write-tally.ts';

export interface WriterOptions {
  /** Stops writing: nothing more is sent, and what is under way has a few seconds to be answered. */
  readonly signal?: AbortSignal | undefined;
  /** Without it nothing holds the writer back but the target. */
  readonly rateLimiter?: RateLimiter | undefined;
  /** Whether a run that ended without knowing what became of its writes may have given the same ones. */
  readonly isRepeat?: boolean;
  readonly requestsAtOnce?: number;
  readonly limit?: Partial<BatchLimit>;
}

const requestsAtOnce = 4;
/** How long calls under way may go on after a stop: an answer that still comes is one write less in doubt. */
const graceMs = 5_000;

/**
 * Writes documents, as the archive keeps them, to a database: in requests of many writes, several at once, in no order; each
 * write is accounted for (see `WriteTally`). The first error that is not about one document ends it: nothing more is sent, and
 * every call from then on throws it.
 */
export class BatchWriter {
  readonly tally = new WriteTally();
  readonly #options: WriterOptions;
  readonly #limit: BatchLimit;
  readonly #target: FirestoreDatabase;
  readonly #encoder = new WriteEncoder();
  readonly #course: SenderContext;
  readonly #stop = new AbortController();
  readonly #cut = new AbortController();
  readonly #deliveries = new Set<Promise<void>>();
  /** Names of which a write is open: two of one document must not overtake each other. */
  readonly #names = new Set<string>();
  readonly #openMax: number;
  readonly #spare: WriteBatch[] = [];
  #filling: WriteBatch | undefined;
  #openBatches = 0;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void)[] = [];

  constructor(target: FirestoreDatabase, options: WriterOptions = {}) {
    const { signal, rateLimiter: pace, requestsAtOnce: atOnce = requestsAtOnce } = options;
    this.#target = target;
    this.#options = options;
    this.#limit = { ...batchLimit, ...options.limit };
    // As many again may wait: for their turn, or until it is time to try again.
    this.#openMax = 2 * atOnce;
    this.#course = {
      target,
      semaphore: new Semaphore(atOnce, this.#stop.signal),
      rateLimiter: pace,
      retryOptions: target.retryOptions(this.#stop.signal),
      callSignal: this.#cut.signal,
      decided: 0,
      send: (batch, slots, failures) => this.#deliver(batch, slots, failures),
      settle: (batch, slot, outcome) => this.#settle(batch, slot, outcome),
    };
    if (signal?.aborted) this.#fail(cancelled());
    else signal?.addEventListener('abort', this.#abort);
  }

  /**
   * Takes an encoded document whose name is one of the target's. What it gives is to be awaited before the next call, and the
   * bytes are not to change until then. With a condition, what is otherwise in the target stays, and that is a failure; unless it
   * is already as it was to be.
   */
  put(document: Uint8Array, mode: Exclude<WriteMode, 'delete'>, condition?: Condition): Promise<void> | undefined {
    return this.#take(() => this.#encoder.put(document, mode, condition));
  }

  /** Takes a document's path to delete what is there; that nothing is there is no failure. Otherwise as `put`. */
  delete(path: string, condition?: Condition): Promise<void> | undefined {
    return this.#take(() => this.#encoder.delete(`${this.#target.root}/${path}`, condition));
  }

  /** Resolves when it is known of every write given so far what became of it: a worker may note how far it has come. */
  async flush(): Promise<void> {
    this.#send();
    while (this.#deliveries.size > 0) await Promise.all(this.#deliveries);
    this.#check();
  }

  /** Brings all to its end. Throws COUNT_MISMATCH rather than lose sight of a write. */
  async end(): Promise<WriteTally> {
    await this.flush();
    this.#options.signal?.removeEventListener('abort', this.#abort);
    const { open, given } = this.tally;
    if (open !== 0) throw new SourceError('COUNT_MISMATCH', `It is not known what became of ${open} of ${given} writes.`);
    return this.tally;
  }

  #take(encode: () => void): Promise<void> | undefined {
    this.#check();
    encode();
    const { name } = this.#encoder;
    if (!name.startsWith(`${this.#target.root}/`)) throw new TypeError('the document is not of the target');
    if (!this.#names.has(name)) return this.#add(name);
    return this.flush().then(() => {
      encode();
      return this.#add(name);
    });
  }

  #add(name: string): Promise<void> | undefined {
    this.tally.given += 1;
    if (this.#encoder.sink.length > requestBytesMax) {
      this.tally.fail(this.#pathOf(name), 'INVALID_ARGUMENT', 'The document is larger than a request may be.');
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
    while (this.#openBatches >= this.#openMax && !this.#failure) await new Promise<void>((wake) => this.#wake.push(wake));
    this.#check();
  }

  #send(): void {
    const batch = this.#filling;
    this.#filling = undefined;
    if (!batch) return;
    this.#openBatches += 1;
    const slots = Array.from({ length: batch.count }, (_, slot) => slot);
    this.#deliver(batch, slots, 0);
  }

  #deliver(batch: WriteBatch, slots: readonly number[], failures: number): void {
    const delivery = new BatchSender(this.#course, batch, slots, failures)
      .run()
      .catch((error: unknown) => this.#fail(asWriteError(error)))
      .finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
  }

  #settle(batch: WriteBatch, slot: number, outcome: 'written' | 'skipped' | WriteStatus): void {
    const { tally } = this;
    const name = batch.name(slot);
    this.#names.delete(name);
    if (outcome === 'skipped') tally.skipped += 1;
    else if (outcome === 'written') {
      tally.written += 1;
      if (batch.mode(slot) === 'delete') tally.deleted += 1;
    } else tally.fail(this.#pathOf(name), outcome.status, outcome.message);
    batch.open -= 1;
    if (batch.open > 0) return;
    this.#openBatches -= 1;
    batch.clear();
    this.#spare.push(batch);
    this.#rouse();
  }

  #pathOf(name: string): string {
    return name.slice(this.#target.root.length + 1);
  }

  readonly #abort = (): void => this.#fail(cancelled());

  #fail(error: unknown): void {
    if (this.#failure) return;
    this.#failure = { error };
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#stop.abort();
    const timer = setTimeout(() => this.#cut.abort(), graceMs);
    timer.unref();
    this.#rouse();
  }

  #rouse(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  #check(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
