/** Stores what the source had as a batch of changes, so that every restore of that moment or a later one is exact. */
import { DocumentSkim, type ObjectEntry } from '../../archive/index.ts';
import { collectionIdOf } from '../../firestore/index.ts';
import { remove, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import type { BackupDeps } from '../../stored-backup/index.ts';
import { batchNameOf } from '../batch/batch-chain.ts';
import { heardAheadMicros, listBatchesAfter } from '../batch/list-batches.ts';
import { keyBackupOf, openBatch } from '../batch/open-batch.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import { type BatchRecord, type PitrRecord, pitrKey } from '../model/record.ts';
import { AuditPostponed, type CaptureDifference } from './audit-slice.ts';

/** A stored object that belongs to no batch yet. */
export interface Correction {
  readonly id: string;
  readonly path: string;
  readonly storageDestinationId: string;
  readonly keyBackupId: string;
  readonly chunk: ObjectEntry;
  readonly changes: number;
  /** When the source had it. */
  readonly moment: string;
  readonly collections: readonly string[];
}

/** Collections that a batch names at most; an id may have 1,500 bytes. */
const collectionsMax = 100;

/** Resolves when the object is stored; its upload is recorded, so that it is deleted if nothing follows. */
export const writeCorrection = async (
  cycle: CycleContext,
  {
    moment,
    differences,
    deps,
    signal,
  }: {
    readonly moment: string;
    readonly differences: readonly CaptureDifference[];
    readonly deps: BackupDeps;
    readonly signal: AbortSignal;
  },
): Promise<Correction> => {
  const { tenant, pitr } = cycle;
  const keyBackup = await keyBackupOf(tenant, pitr.bases.at(-1)?.backupId);
  if (!keyBackup) throw new AuditPostponed('the base backup is gone');
  const { id, path, writer } = await openBatch(cycle, { keyBackup, deps, signal });
  const skim = new DocumentSkim();
  try {
    for (const { name, found } of differences) {
      if (found) {
        skim.read(found, 0, found.length);
        writer.document(found, 0, found.length, skim);
      } else writer.tombstone(name, microsOf(moment));
      await writer.drain();
    }
    const chunk = await writer.finish();
    if (!chunk) throw new Error('a correction has at least one document');
    const collections = [...new Set(differences.map((one) => collectionIdOf(one.path)))];
    return {
      id,
      path,
      storageDestinationId: pitr.storageDestination.id,
      keyBackupId: keyBackup.id,
      chunk,
      changes: writer.changes,
      moment,
      collections,
    };
  } finally {
    await writer.close();
  }
};

/**
 * Adds a correction to the batches: after the one that ends at its moment or before, whose later changes still count. If the list changes
 * before the transaction, that fails with StaleReadError.
 */
export const insertCorrection = async (
  tenant: Tenant,
  pitr: PitrRecord,
  correction: Correction,
): Promise<{ readonly writes: readonly Write[]; readonly lastBatch: string | undefined }> => {
  const { id, moment, collections, ...stored } = correction;
  const at = microsOf(moment);
  const batches: BatchRecord[] = [];
  for await (const one of listBatchesAfter(tenant, pitr.projectId, momentOf(at - heardAheadMicros))) batches.push(one);
  const name = batchNameOf({ to: moment, id });
  const before = batches.findLast((one) => batchNameOf(one) < name);
  const next = batches.find((one) => batchNameOf(one) > name);
  const batch: BatchRecord = {
    ...stored,
    ...pitrKey.batch(tenant, pitr.projectId, { to: moment, id }),
    id,
    partOf: before && (before.partOf ?? before.id),
    asOf: moment,
    previous: before ? batchNameOf(before) : next ? next.previous : (pitr.lastBatch ?? null),
    // Nothing but this moment: the seconds before are not known any better.
    from: momentOf(at - 1),
    to: moment,
    isProven: true,
    reads: 0,
    collections: JSON.stringify(collections.slice(0, collectionsMax)),
  };
  const writes: readonly Write[] = [{ put: batch }, remove(pitrKey.upload(tenant, pitr.projectId, id))];
  if (!next) return { writes, lastBatch: name };
  const relinked = set(
    pitrKey.batch(tenant, pitr.projectId, next),
    { previous: name },
    { expected: { previous: next.previous }, onConditionFailed: () => new StaleReadError() },
  );
  return { writes: [...writes, relinked], lastBatch: pitr.lastBatch };
};
