import type { SourceError } from './error.ts';
import type { WriteStatus } from './write-answer.ts';
import type { WriteMode } from './write-encoder.ts';
import { judgeWrite } from './write-verdict.ts';

/** What the writes of one answer come to, by their slots. */
export interface Sorted {
  readonly written: number[];
  readonly skipped: number[];
  /** A document is there that an earlier try may have made. */
  readonly doubtful: number[];
  readonly failed: Told[];
  readonly again: Told[];
  /** The target is asked too much. */
  readonly exhausted: number[];
  /** The target lets the job write nothing. */
  refusal: SourceError | undefined;
}

export interface Told {
  readonly slot: number;
  readonly told: WriteStatus;
}

/** What is known of a write beside its status. */
interface Known {
  mode(slot: number): WriteMode;
  readonly isUnsure: Uint8Array;
}

/** Judges every write of an answer by itself. */
export const sortOut = (slots: readonly number[], statuses: readonly WriteStatus[], batch: Known): Sorted => {
  const sorted: Sorted = {
    ...{ written: [], skipped: [], doubtful: [], failed: [], again: [], exhausted: [] },
    refusal: undefined,
  };
  for (const [i, told] of statuses.entries()) {
    const slot = slots[i] ?? -1;
    const verdict = judgeWrite(told, batch.mode(slot));
    if (verdict === 'written') sorted.written.push(slot);
    else if (verdict === 'exists') (batch.isUnsure[slot] ? sorted.doubtful : sorted.skipped).push(slot);
    else if (verdict === 'failed') sorted.failed.push({ slot, told });
    else if (verdict === 'again') sorted.again.push({ slot, told });
    else if (verdict === 'rest') sorted.exhausted.push(slot);
    else sorted.refusal = verdict;
  }
  return sorted;
};
