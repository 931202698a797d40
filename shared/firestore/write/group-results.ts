import type { SourceError } from '../grpc/source-error.ts';
import type { WriteStatus } from './batch-response.ts';
import { classifyWrite } from './classify-write.ts';
import type { Condition } from './precondition.ts';
import type { WriteMode } from './write-encoder.ts';

/** What the writes of one answer come to, by their slots. */
export interface GroupedResults {
  readonly written: number[];
  readonly skipped: number[];
  /** The document is not what it had to be; whether it is what it was to become is to be seen. */
  readonly unmet: number[];
  readonly failed: SlotStatus[];
  readonly retry: SlotStatus[];
  /** The target is asked too much. */
  readonly exhausted: number[];
  /** The target lets the job write nothing. */
  refusal: SourceError | undefined;
}

export interface SlotStatus {
  readonly slot: number;
  readonly status: WriteStatus;
}

/** What is known of a write beside its status. */
interface Known {
  mode(slot: number): WriteMode;
  condition(slot: number): Condition | undefined;
  readonly isUnsure: Uint8Array;
}

/** Judges every write of an answer by itself. */
export const groupResults = (slots: readonly number[], statuses: readonly WriteStatus[], batch: Known): GroupedResults => {
  const sorted: GroupedResults = {
    ...{ written: [], skipped: [], unmet: [], failed: [], retry: [], exhausted: [] },
    refusal: undefined,
  };
  for (const [i, told] of statuses.entries()) {
    const slot = slots[i] ?? -1;
    const verdict = classifyWrite(told, batch.condition(slot));
    if (verdict === 'written') sorted.written.push(slot);
    else if (verdict === 'unmet') (isTheirs(batch, slot) ? sorted.skipped : sorted.unmet).push(slot);
    else if (verdict === 'failed') sorted.failed.push({ slot, status: told });
    else if (verdict === 'again') sorted.retry.push({ slot, status: told });
    else if (verdict === 'rest') sorted.exhausted.push(slot);
    else sorted.refusal = verdict;
  }
  return sorted;
};

/** What exists and was never sent before is someone else's, without a look. */
const isTheirs = (batch: Known, slot: number): boolean => batch.mode(slot) === 'skip_existing' && !batch.isUnsure[slot];
