/** Inserts batches into the chain: each names its predecessor, so that what follows them is linked again. */
import { remove, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { type BatchRecord, type PitrRecord, pitrKey } from '../model/record.ts';
import { batchNameOf } from './batch-chain.ts';

export interface InsertedBatches {
  readonly writes: readonly Write[];
  /** All batches, as they are linked then. */
  readonly chain: readonly BatchRecord[];
  /** The name of the last one, if nothing follows it: the record must name it. */
  readonly lastBatch?: string;
}

/** `stored`: all batches that end after a moment, which must be at most the end of any added one. */
export const insertBatches = (
  tenant: Tenant,
  { projectId, lastBatch }: Pick<PitrRecord, 'projectId'> & { readonly lastBatch?: string | undefined },
  { stored, added }: { readonly stored: readonly BatchRecord[]; readonly added: readonly BatchRecord[] },
): InsertedBatches => {
  const known = new Map(stored.map((batch) => [batch.id, batch]));
  const all = [...stored, ...added].sort((a, b) => (batchNameOf(a) < batchNameOf(b) ? -1 : 1));
  const first = stored.length > 0 ? (stored[0]?.previous ?? null) : (lastBatch ?? null);
  const chain = all.map((batch, n): BatchRecord => {
    const before = all[n - 1];
    return { ...batch, previous: before ? batchNameOf(before) : first };
  });
  const writes = chain.flatMap((batch): Write[] => {
    const { id, to, previous } = batch;
    const old = known.get(id);
    if (!old) return [{ put: batch }, remove(pitrKey.upload(tenant, projectId, id))];
    if (old.previous === previous) return [];
    const expected = { previous: old.previous };
    return [
      set(
        pitrKey.batch(tenant, projectId, { to, id }),
        { previous },
        { expected, onConditionFailed: () => new StaleReadError() },
      ),
    ];
  });
  const last = chain.at(-1);
  return { writes, chain, ...(last && !known.has(last.id) && { lastBatch: batchNameOf(last) }) };
};
