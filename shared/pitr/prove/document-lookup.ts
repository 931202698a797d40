import { DocumentSkim } from '../../archive/index.ts';
import { type FirestoreDatabase, getWithin } from '../../firestore/index.ts';
import { momentOf } from '../model/micro-time.ts';

/** More would be needed than a turn may read. */
export class BudgetSpent extends Error {}

/** Names of one request. */
const namesMax = 300;
/** Of one answer: of documents of 1 MiB fewer are asked for at once. */
const answerMaxBytes = 32 << 20;
const atOnce = 4;

/** Who is told what was there; the skim says where the document lies in the bytes. Undefined where there was none. */
export type Told = (name: string, bytes: Uint8Array | undefined, skim: DocumentSkim) => void;

/** Looks up documents as they were at a moment, and counts what that is billed as. */
export class Lookup {
  readonly #source: FirestoreDatabase;
  readonly #signal: AbortSignal;
  readonly #skim = new DocumentSkim();
  reads = 0;
  /** Names that are asked for at the moment. */
  #asked = 0;
  /** Reads beyond this are not made. */
  budget = Number.POSITIVE_INFINITY;

  constructor(source: FirestoreDatabase, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
  }

  /** Of full names, all at one moment in microseconds. */
  async at(moment: number, names: readonly string[], told: Told): Promise<void> {
    const slices = Array.from({ length: Math.ceil(names.length / namesMax) }, (_, n) =>
      names.slice(n * namesMax, (n + 1) * namesMax),
    );
    for (let n = 0; n < slices.length; n += atOnce) {
      // None goes on, and tells, after another has failed.
      const ended = await Promise.allSettled(slices.slice(n, n + atOnce).map((slice) => this.#slice(moment, slice, told)));
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
    }
  }

  async #slice(moment: number, names: readonly string[], told: Told): Promise<void> {
    if (this.reads + this.#asked + names.length > this.budget) throw new BudgetSpent();
    const prefix = this.#source.root.length + 1;
    const options = {
      readTime: momentOf(moment),
      signal: this.#signal,
      maxBytes: names.length === 1 ? Infinity : answerMaxBytes,
    };
    const asked = names.map((name) => name.slice(prefix));
    this.#asked += names.length;
    const { documents, reads } = await getWithin(this.#source, asked, options).finally(() => {
      this.#asked -= names.length;
    });
    this.reads += reads;
    if (!documents) {
      const half = Math.ceil(names.length / 2);
      await this.#slice(moment, names.slice(0, half), told);
      return this.#slice(moment, names.slice(half), told);
    }
    for (const name of names) {
      const bytes = documents.get(name.slice(prefix));
      if (bytes) this.#skim.read(bytes, 0, bytes.length);
      told(name, bytes, this.#skim);
    }
  }
}
