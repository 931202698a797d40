import type { SourceError } from '../grpc/source-error.ts';
import { classifyWrite } from './classify-write.ts';
import type { WriteBatch } from './write-batch.ts';
import type { WriteStatus } from './write-statuses.ts';

/** The writes of one response, grouped by outcome, as slots. */
interface GroupedResults {
  readonly written: number[];
  readonly skipped: number[];
  /** The precondition failed; the write may already be applied. */
  readonly unmet: number[];
  readonly failed: SlotStatus[];
  readonly retry: SlotStatus[];
  /** The quota of the target is exhausted. */
  readonly exhausted: number[];
  /** The target denies all writes. */
  refusal: SourceError | undefined;
}

interface SlotStatus {
  readonly slot: number;
  readonly status: WriteStatus;
}

/** Classifies every write of a response. */
export const groupResults = (slots: readonly number[], statuses: readonly WriteStatus[], batch: WriteBatch): GroupedResults => {
  const grouped: GroupedResults = {
    written: [],
    skipped: [],
    unmet: [],
    failed: [],
    retry: [],
    exhausted: [],
    refusal: undefined,
  };
  for (const [i, status] of statuses.entries()) {
    const slot = slots[i] ?? -1;
    const verdict = classifyWrite(status, batch.slot(slot).condition);
    if (verdict === 'written') grouped.written.push(slot);
    else if (verdict === 'unmet') (isForeign(batch, slot) ? grouped.skipped : grouped.unmet).push(slot);
    else if (verdict === 'failed') grouped.failed.push({ slot, status });
    else if (verdict === 'retry') grouped.retry.push({ slot, status });
    else if (verdict === 'backOff') grouped.exhausted.push(slot);
    else grouped.refusal = verdict;
  }
  return grouped;
};

/** An existing document that was never sent before belongs to another client. */
const isForeign = (batch: WriteBatch, slot: number): boolean =>
  batch.slot(slot).mode === 'skip_existing' && !batch.isUnsure[slot];
