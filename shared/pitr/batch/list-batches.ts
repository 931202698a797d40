/** Reading captured changes: which batches there are, and what is in one. */
import { type Leaf, readChunk } from '../../archive/index.ts';
import { backupDeps, type Doors, piecesOf, readBackup } from '../../backup/index.ts';
import { readDestination } from '../../destination/index.ts';
import { type Tenant, walk } from '../../platform/index.ts';
import { canonicalMoment, microsOf } from '../model/micro-time.ts';
import { type BatchRecord, batchPrefix, pitrKey } from '../model/record.ts';

/**
 * Some collections are heard further than a batch reaches, whose end is where all of them are: what happened to those after a
 * moment may stand in a batch that ends before it. Twice what a worker has (`workers.capture`), which a test compares.
 */
export const heardAheadMicros = 1_800 * 1_000_000;

/**
 * The batches that hold changes of after `from` and up to `to`, in the order of time. The first may begin before `from`, the
 * last may end after `to`: each record tells its own time.
 */
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

/** All that end later, in the order of time. */
export async function* listBatchesAfter(
  tenant: Tenant,
  projectId: string,
  moment: string,
): AsyncGenerator<BatchRecord, void, undefined> {
  const { pk } = pitrKey.tokens(tenant, projectId);
  const range = { pk, prefix: batchPrefix, from: `${batchPrefix}${canonicalMoment(moment)}` };
  for await (const batch of walk<BatchRecord>(range)) if (microsOf(batch.to) > microsOf(moment)) yield batch;
}

/** The leaves of a batch, each proven; running to the end proves the whole. Records stand in the order they were found. */
export async function* readBatch(
  tenant: Tenant,
  batch: BatchRecord,
  doors: Doors = backupDeps,
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
    for await (const { leaf } of readChunk(piecesOf(store, batch.chunk), options)) yield leaf;
  } finally {
    store.close();
  }
}
