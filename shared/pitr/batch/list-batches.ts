import { type Tenant, walk } from '../../platform/index.ts';
import { canonicalMoment, microsOf } from '../model/micro-time.ts';
import { type BatchRecord, batchPrefix, pitrKey } from '../model/record.ts';

/**
 * A batch ends where all collections are captured; some are captured further. A change may thus be in a batch that ends before it, by
 * at most this long. Twice the timeout of the worker (`workers.capture`), which a test compares.
 */
export const heardAheadMicros = 1_800 * 1_000_000;

/** The batches that end after a moment, by time. */
export async function* listBatchesAfter(
  tenant: Tenant,
  projectId: string,
  moment: string,
): AsyncGenerator<BatchRecord, void, undefined> {
  const { pk } = pitrKey.tokens(tenant, projectId);
  const range = { pk, prefix: batchPrefix, from: `${batchPrefix}${canonicalMoment(moment)}` };
  for await (const batch of walk<BatchRecord>(range)) if (microsOf(batch.to) > microsOf(moment)) yield batch;
}
