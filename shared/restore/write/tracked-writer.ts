import type { BatchWriter } from '../../firestore/index.ts';
import type { WriteProgress } from './write-progress.ts';

/** What became of writes. */
export type Outcome = Pick<WriteProgress, 'written' | 'deleted' | 'raced' | 'failed' | 'failures'>;

/** A writer that is given one slice after the other. */
export class TrackedWriter {
  readonly writer: BatchWriter;
  #told = { written: 0, deleted: 0, raced: 0, failed: 0, failures: 0 };

  constructor(writer: BatchWriter) {
    this.writer = writer;
  }

  /** Resolves when it is known of all that was given since the last time what became of it. */
  async outcome(): Promise<Outcome> {
    await this.writer.flush();
    const { written, deleted, skipped, failed, failures } = this.writer.tally;
    const told = this.#told;
    this.#told = { written: written - deleted, deleted, raced: skipped, failed, failures: failures.length };
    return {
      written: this.#told.written - told.written,
      deleted: deleted - told.deleted,
      raced: skipped - told.raced,
      failed: failed - told.failed,
      failures: failures.slice(told.failures),
    };
  }
}
