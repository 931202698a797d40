import type { BatchWriter } from '../../firestore/index.ts';
import type { WriteCounts } from '../model/record.ts';
import { noWrites, subtractCounts } from '../model/shard-totals.ts';
import type { WriteProgress } from './write-progress.ts';

/** A writer whose outcome is reported per checkpoint. */
export class TrackedWriter {
  readonly writer: BatchWriter;
  #reported = noWrites;
  #failures = 0;

  constructor(writer: BatchWriter) {
    this.writer = writer;
  }

  /** Waits for all pending writes; returns what changed since the last call. */
  async outcome(): Promise<WriteCounts & Pick<WriteProgress, 'failures'>> {
    await this.writer.flush();
    const { written, deleted, skipped, failed, failures } = this.writer.tally;
    const counts = { written: written - deleted, deleted, raced: skipped, failed, erased: 0 };
    const outcome = { ...subtractCounts(counts, this.#reported), failures: failures.slice(this.#failures) };
    this.#reported = counts;
    this.#failures = failures.length;
    return outcome;
  }
}
