import { collectionIdOf, type FirestoreDatabase, getWithin, SourceError, verifyCount } from '../../firestore/index.ts';
import { mapConcurrent } from '../../platform/index.ts';
import type { LiveScanCursor, ScannedRange } from '../../stored-backup/index.ts';

/** Absent names collected before they are verified: a few megabytes. */
const absentMax = 10_000;
const concurrency = 8;
const namesMax = 300;

/**
 * The end of a target's stream does not prove that nothing more exists. Before a document is treated as absent, the target counts
 * what was read; where it cannot count, every absent document is looked up.
 */
export class CompletenessCheck {
  /** Billed reads. */
  reads = 0;
  readonly #target: FirestoreDatabase;
  readonly #readTime: string;
  readonly #mustBeComplete: boolean;
  #absent: string[] = [];

  /** `mustBeComplete`: documents that the backup lacks matter, too, because they are deleted. */
  constructor(target: FirestoreDatabase, readTime: string, mustBeComplete: boolean) {
    this.#target = target;
    this.#readTime = readTime;
    this.#mustBeComplete = mustBeComplete;
  }

  /** Adds a document that was not found. True if it is time to run the check. */
  addAbsent(path: string): boolean {
    return this.#absent.push(path) >= absentMax;
  }

  /** Throws a transient COUNT_MISMATCH if the target did not send every document. */
  async run(live: LiveScanCursor, signal: AbortSignal): Promise<void> {
    const absent = this.#absent;
    if (absent.length === 0 && !this.#mustBeComplete) return;
    const ids = new Set(absent.map(collectionIdOf));
    let areCounted = true;
    await mapConcurrent(live.uncounted, concurrency, async (stretch) => {
      if (!(await this.#count(stretch, ids, signal))) areCounted = false;
    });
    if (!areCounted) await mapConcurrent(chunksOf(absent), concurrency, (paths) => this.#lookUp(paths, signal));
    live.markCounted();
    this.#absent = [];
  }

  /** False if the target cannot count. */
  async #count(
    { range, documents, collectionIds }: ScannedRange,
    absentIds: Iterable<string>,
    signal: AbortSignal,
  ): Promise<boolean> {
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

  async #lookUp(paths: readonly string[], signal: AbortSignal): Promise<void> {
    // With maxBytes 0 the lookup ends at the first document found.
    const { documents, reads } = await getWithin(this.#target, paths, { readTime: this.#readTime, signal, maxBytes: 0 });
    this.reads += reads;
    if (documents?.size !== 0) throw mismatch('The source has documents that it did not send.');
  }
}

/** The target did not send every document; reading it again may help. */
export const isCountMismatch = (error: unknown): boolean =>
  error instanceof SourceError && error.code === 'COUNT_MISMATCH' && error.isTransient;

const mismatch = (message: string): SourceError => new SourceError('COUNT_MISMATCH', message, { isTransient: true });

const chunksOf = (paths: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(paths.length / namesMax) }, (_, n) => paths.slice(n * namesMax, (n + 1) * namesMax));
