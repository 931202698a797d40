import { openStore, StorageError } from '../../destination/index.ts';
import { type Clock, log, query, removeAll, type Tenant, walk } from '../../platform/index.ts';
import { deleteBatch } from '../batch/delete-batch.ts';
import { type BatchRecord, batchPrefix, type PitrRecord, pitrKey, pitrPrefix, uploadPrefix } from '../model/record.ts';

/** Removes what an organization has captured, with the objects if backup data is to go, and tells whether nothing is left. */
export const purgeCaptures = async (
  tenant: Tenant,
  wish: { readonly deleteBackupData: boolean; readonly isPatient: boolean },
  until: Date,
  time: Clock,
  open: typeof openStore = openStore,
): Promise<boolean> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: pitrPrefix };
  for await (const { projectId, pk, sk } of walk<PitrRecord>(range)) {
    const work = pitrKey.tokens(tenant, projectId).pk;
    for (;;) {
      // Every sort key in it begins with a letter.
      const { items } = await query({ pk: work, prefix: '', from: '0', limit: 100 });
      if (items.length === 0) break;
      for (const item of items) {
        if (time.now() >= until) return false;
        const isStored = item.sk.startsWith(batchPrefix) || item.sk.startsWith(uploadPrefix);
        if (isStored && wish.deleteBackupData) await erase(tenant, item as unknown as BatchRecord, wish.isPatient, open);
        await removeAll([item]);
      }
    }
    await removeAll([pitrKey.capturing(tenant, projectId), { pk, sk }]);
  }
  return true;
};

const erase = async (tenant: Tenant, batch: BatchRecord, isPatient: boolean, open: typeof openStore): Promise<void> => {
  try {
    await deleteBatch(tenant, batch, open);
  } catch (error) {
    if (isPatient || !(error instanceof StorageError)) throw error;
    log.warn('a batch of changes stays where it is', { path: batch.path, reason: error.message });
  }
};
