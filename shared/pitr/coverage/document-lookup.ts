import { DocumentSkim } from '../../archive/index.ts';
import { type FirestoreDatabase, getWithin } from '../../firestore/index.ts';
import { momentOf } from '../model/micro-time.ts';

/** The look-up would exceed the budget. */
export class BudgetSpent extends Error {}

/** Names per request. */
const namesMax = 300;
/** A response with more is split into two requests. */
const responseMaxBytes = 32 << 20;
const concurrency = 4;

/** Receives a document as of the moment, undefined if it did not exist. The skim has its offsets in the bytes. */
type OnDocument = (name: string, bytes: Uint8Array | undefined, skim: DocumentSkim) => void;

/** Reads documents as of a moment, and counts the billed reads. */
export class Lookup {
  readonly #source: FirestoreDatabase;
  readonly #signal: AbortSignal;
  readonly #skim = new DocumentSkim();
  reads = 0;
  /** Names in flight. */
  #pending = 0;
  /** A request that might exceed this throws BudgetSpent. */
  budget = Number.POSITIVE_INFINITY;

  constructor(source: FirestoreDatabase, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  /** Reads documents by their full names, as of a moment in microseconds. */
  async at(moment: number, names: readonly string[], onDocument: OnDocument): Promise<void> {
    const slices = Array.from({ length: Math.ceil(names.length / namesMax) }, (_, n) =>
      names.slice(n * namesMax, (n + 1) * namesMax),
    );
    for (let n = 0; n < slices.length; n += concurrency) {
      // Waits for all: none may call `onDocument` after another has failed.
      const round = slices.slice(n, n + concurrency).map((slice) => this.#slice(moment, slice, onDocument));
      for (const ended of await Promise.allSettled(round)) if (ended.status === 'rejected') throw ended.reason;
    }
  }

  async #slice(moment: number, names: readonly string[], onDocument: OnDocument): Promise<void> {
    if (this.reads + this.#pending + names.length > this.budget) throw new BudgetSpent();
    const prefix = this.#source.root.length + 1;
    const options = {
      readTime: momentOf(moment),
      signal: this.#signal,
      maxBytes: names.length === 1 ? Infinity : responseMaxBytes,
    };
    const paths = names.map((name) => name.slice(prefix));
    this.#pending += names.length;
    const { documents, reads } = await getWithin(this.#source, paths, options).finally(() => {
      this.#pending -= names.length;
    });
    this.reads += reads;
    if (!documents) {
      const half = Math.ceil(names.length / 2);
      await this.#slice(moment, names.slice(0, half), onDocument);
      return this.#slice(moment, names.slice(half), onDocument);
    }
    for (const name of names) {
      const bytes = documents.get(name.slice(prefix));
      if (bytes) this.#skim.read(bytes, 0, bytes.length);
      onDocument(name, bytes, this.#skim);
    }
  }
}
