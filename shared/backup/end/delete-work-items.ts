import { commit, query, type Tenant, transactionMax } from '../../platform/index.ts';
import { workPartition } from '../model/record.ts';

/** Deletes the shards and parts of a backup that has ended. Idempotent. In transactions, because workers may not batch-delete. */
export const deleteWorkItems = async (tenant: Tenant, backupId: string): Promise<void> => {
  const pk = workPartition(tenant, backupId);
  // Every sort key begins with a letter, and a key condition on an empty string is not allowed.
  const range = { pk, prefix: '', from: 'A', limit: transactionMax };
  for (;;) {
    const { items } = await query(range);
    if (items.length === 0) return;
    await commit(items.map(({ sk }) => ({ remove: { pk, sk } })));
  }
};
