import { commit, query, transactionMax, type Write } from '../platform/index.ts';

/**
 * Deletes the items in the work partition of a job that has ended. Idempotent. In transactions with `conditions`, because workers
 * may not batch-delete.
 */
export const deleteWorkItems = async (
  partition: string,
  { conditions = [], prefix = '' }: { readonly conditions?: readonly Write[]; readonly prefix?: string } = {},
): Promise<void> => {
  // Every sort key begins with a letter, and a key condition on an empty string is not allowed.
  const range = { pk: partition, prefix, from: prefix || 'A', limit: transactionMax - conditions.length };
  for (;;) {
    const { items } = await query(range);
    if (items.length === 0) return;
    await commit([...conditions, ...items.map(({ pk, sk }) => ({ remove: { pk, sk } }))]);
  }
};
