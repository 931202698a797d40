import { type openStore, StorageError } from '../../destination/index.ts';
import { type Clock, deletePartition, type Item, log, removeAll, type Tenant, walk } from '../../platform/index.ts';
import { deleteBatch } from '../batch/delete-batch.ts';
import { type BatchRecord, batchPrefix, type PitrRecord, pitrKey, pitrPrefix, uploadPrefix } from '../model/record.ts';

interface CapturePurge {
  readonly deleteBackupData: boolean;
  /** Whether a store that refuses to delete is tried again. */
  readonly isPatient: boolean;
  readonly deadline: { readonly at: Date; readonly clock: Clock };
  readonly openStore?: typeof openStore;
}

/** Deletes an organization's captures, with their objects if `deleteBackupData`. False if the deadline passed first. */
export const purgeCaptures = async (
  tenant: Tenant,
  { deleteBackupData, isPatient, deadline, openStore: open }: CapturePurge,
): Promise<boolean> => {
  const deleteObject = async (item: Item): Promise<void> => {
    if (!deleteBackupData || !(item.sk.startsWith(batchPrefix) || item.sk.startsWith(uploadPrefix))) return;
    const batch = item as unknown as BatchRecord;
    try {
      await deleteBatch(tenant, batch, open);
    } catch (error) {
      if (isPatient || !(error instanceof StorageError)) throw error;
      log.warn('change batch not deleted', { path: batch.path, reason: error.message });
    }
  };
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: pitrPrefix };
  for await (const { projectId, pk, sk } of walk<PitrRecord>(range)) {
    const partition = pitrKey.tokens(tenant, projectId).pk;
    if (!(await deletePartition(partition, { deadline, beforeDelete: deleteObject }))) return false;
    await removeAll([pitrKey.capturing(tenant, projectId), { pk, sk }]);
  }
  return true;
};
