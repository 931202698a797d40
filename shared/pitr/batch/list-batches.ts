/** Lists and reads captured batches. */
import { type Leaf, readChunk } from '../../archive/index.ts';
import { type ArchiveDeps, backupDeps, readBackup, streamObject } from '../../backup/index.ts';
import { readDestination } from '../../destination/index.ts';
import { type Tenant, walk } from '../../platform/index.ts';
import { canonicalMoment, microsOf } from '../model/micro-time.ts';
import { type BatchRecord, batchPrefix, pitrKey } from '../model/record.ts';

/**
 * A batch ends where all collections are captured; some are captured further. A change may thus be in a batch that ends before it, by
 * at most this long. Twice the timeout of the worker (`workers.capture`), which a test compares.
 */
export const heardAheadMicros = 1_800 * 1_000_000;

/** The batches with changes after `from` and up to `to`, by time. The first may begin before `from`, the last end after `to`. */
export async function* listBatchesBetween(
  tenant: Tenant,
  projectId: string,
  from: string,
  to: string,
): AsyncGenerator<BatchRecord, void, undefined> {
  for await (const batch of listBatchesAfter(tenant, projectId, from)) {
    if (microsOf(batch.from) >= microsOf(to)) return;
    yield batch;
  }
}

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

/** The authenticated leaves of a batch; reading to the end authenticates the whole. Records are in the order of capture. */
export async function* readBatch(
  tenant: Tenant,
  batch: BatchRecord,
  doors: ArchiveDeps = backupDeps,
): AsyncGenerator<Leaf, void, undefined> {
  const [keyBackup, destination] = await Promise.all([
    readBackup(tenant, batch.keyBackupId),
    readDestination(tenant, batch.storageDestinationId),
  ]);
  const dataKey = await doors.dataKeyOf(tenant, keyBackup);
  const store = await doors.openStore(tenant, destination, batch.path);
  try {
    const { organization, project, backup } = keyBackup.archive;
    const options = { identity: { organization, project, backup }, name: batch.chunk.name, dataKey, entry: batch.chunk };
    for await (const { leaf } of readChunk(streamObject(store, batch.chunk), options)) yield leaf;
  } finally {
    store.close();
  }
}
