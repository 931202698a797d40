import { commit, query, type Tenant, transactionMax } from '../../platform/index.ts';
import { workPartition } from '../model/record.ts';

/** Removes the shards and parts of a backup that has ended; twice is as good as once. */
export const deleteWorkItems = async (tenant: Tenant, backupId: string): Promise<void> => {
  const pk = workPartition(tenant, backupId);
  // Every sort key of ours begins with a letter.
  const range = { pk, prefix: '', from: 'A', limit: transactionMax };
  for (;;) {
    const { items } = await query(range);
    if (items.length === 0) return;
    await commit(items.map(({ sk }) => ({ remove: { pk, sk } })));
  }
};
