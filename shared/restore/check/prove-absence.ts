import type { LiveScanCursor, Stretch } from '../../backup/index.ts';
import { type FirestoreDatabase, getWithin, SourceError, verifyCount } from '../../firestore/index.ts';
import { collectionIdOf } from '../scope/restore-scope.ts';

/** Names taken for absent before it is proven that they are: a few megabytes. */
const absentMax = 10_000;
/** Asked for at once. */
const lanes = 8;
const namesMax = 300;

/**
 * That a stream of the target ended does not say that nothing more is there. Before it is acted on, the target itself counts what
 * was read; where it does not count, it is asked for each document that was taken for absent.
 */
export class CompletenessCheck {
  /** What it was billed as. */
  reads = 0;
  readonly #target: FirestoreDatabase;
  readonly #readTime: string;
  readonly #hasToBeWhole: boolean;
  #absent: string[] = [];

  /** `hasToBeWhole`: also what is there and nobody has asked for matters. */
  constructor(target: FirestoreDatabase, readTime: string, hasToBeWhole: boolean) {
    this.#target = target;
    this.#readTime = readTime;
    this.#hasToBeWhole = hasToBeWhole;
  }

  /** Notes a document that was not found. True if it is time to prove it. */
  addAbsent(path: string): boolean {
    return this.#absent.push(path) >= absentMax;
  }

  /** Throws a transient COUNT_MISMATCH if something was not sent; what was seen needs no proof. */
  async run(live: LiveScanCursor, signal: AbortSignal): Promise<void> {
    const absent = this.#absent;
    if (absent.length === 0 && !this.#hasToBeWhole) return;
    const ids = new Set(absent.map(collectionIdOf));
    let areCounted = true;
    await inLanes(live.uncounted, async (stretch) => {
      if (!(await this.#count(stretch, ids, signal))) areCounted = false;
    });
    if (!areCounted) await inLanes(chunksOf(absent), (paths) => this.#ask(paths, signal));
    live.settle();
    this.#absent = [];
  }

  /** False if the target does not count. */
  async #count({ range, documents, collectionIds }: Stretch, absentIds: Iterable<string>, signal: AbortSignal): Promise<boolean> {
    try {
      const { countVerified, reads } = await verifyCount(this.#target, {
        range,
        readTime: this.#readTime,
        read: documents,
        collectionIds: [...collectionIds, ...absentIds],
        signal,
      });
      this.reads += reads;
      return countVerified;
    } catch (error) {
      if (error instanceof SourceError && error.code === 'COUNT_MISMATCH') throw mismatch(error.message);
      throw error;
    }
  }

  async #ask(paths: readonly string[], signal: AbortSignal): Promise<void> {
    // The first one that is found is enough.
    const { documents, reads } = await getWithin(this.#target, paths, { readTime: this.#readTime, signal, maxBytes: 0 });
    this.reads += reads;
    if (documents?.size !== 0) throw mismatch('The source has documents that it did not send.');
  }
}

/** Whether the target did not send all it has: it is read again. */
export const isCountMismatch = (error: unknown): boolean =>
  error instanceof SourceError && error.code === 'COUNT_MISMATCH' && error.isTransient;

const mismatch = (message: string): SourceError => new SourceError('COUNT_MISMATCH', message, { isTransient: true });

const chunksOf = (paths: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(paths.length / namesMax) }, (_, n) => paths.slice(n * namesMax, (n + 1) * namesMax));

const inLanes = async <T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> => {
  const waiting = all.values();
  const lane = async (): Promise<void> => {
    for (const one of waiting) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, all.length) }, lane));
};
