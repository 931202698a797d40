import type { BatchWriter } from '../../firestore/index.ts';
import type { WriteProgress } from './write-progress.ts';

type Outcome = Pick<WriteProgress, 'written' | 'deleted' | 'raced' | 'failed' | 'failures'>;

/** A writer whose outcome is reported per checkpoint. */
export class TrackedWriter {
  readonly writer: BatchWriter;
  #reported = { written: 0, deleted: 0, raced: 0, failed: 0, failures: 0 };

  constructor(writer: BatchWriter) {
    this.writer = writer;
  }

  /** Waits for all pending writes; returns what changed since the last call. */
  async outcome(): Promise<Outcome> {
    await this.writer.flush();
    const { written, deleted, skipped, failed, failures } = this.writer.tally;
    const reported = this.#reported;
    this.#reported = { written: written - deleted, deleted, raced: skipped, failed, failures: failures.length };
    return {
      written: this.#reported.written - reported.written,
      deleted: deleted - reported.deleted,
      raced: skipped - reported.raced,
      failed: failed - reported.failed,
      failures: failures.slice(reported.failures),
    };
  }
}
