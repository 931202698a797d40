/** When an organization's retention is next due: one item per organization whose backups can expire. */

import { commit, conditionOf, isConflict, iso, set, type Tenant, walk } from '../platform/index.ts';
import { type DueRetention, retentionKey, retentionPartition } from '../stored-backup/index.ts';

export async function* dueOrganizations(now: Date): AsyncGenerator<DueRetention> {
  // Every organization id begins with a letter.
  const items = walk<DueRetention>({ pk: retentionPartition, prefix: '', from: '0' });
  for await (const item of items) if (item.dueAt <= iso(now)) yield item;
}

/** Moves the due time, or deletes the item. A due time that a completed backup has written meanwhile stays. */
export const updateDue = async (tenant: Tenant, { dueAt }: DueRetention, nextAtMs: number | undefined): Promise<void> => {
  const key = retentionKey(tenant);
  try {
    await commit([
      nextAtMs === undefined
        ? { remove: key, ...conditionOf({ dueAt }) }
        : set(key, { dueAt: iso(new Date(nextAtMs)) }, { expected: { dueAt } }),
    ]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
};
