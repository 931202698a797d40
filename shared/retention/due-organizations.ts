/** When an organization's retention is next to be applied: a note for each that has something to be removed one day. */
import { type DueRetention, retentionKey, retentionPartition } from '../backup/index.ts';
import { ApiError } from '../contract/errors.ts';
import { commit, get, iso, set, type Tenant, walk } from '../platform/index.ts';

/** Those whose time has come. */
export async function* dueRetentions(now: Date): AsyncGenerator<DueRetention> {
  // Every id begins with a letter.
  const notes = walk<DueRetention>({ pk: retentionPartition, prefix: '', from: '0' });
  for await (const note of notes) if (note.dueAt <= iso(now)) yield note;
}

export const readDue = async (tenant: Tenant): Promise<DueRetention | undefined> => await get(retentionKey(tenant));

/** Puts it off, or forgets it; a note that was written meanwhile, by a backup that was completed, holds. */
export const settleDue = async (tenant: Tenant, { dueAt }: DueRetention, nextAtMs: number | undefined): Promise<void> => {
  const key = retentionKey(tenant);
  const where = { condition: 'dueAt = :dueAt', values: { ':dueAt': dueAt } };
  try {
    await commit([
      nextAtMs === undefined ? { remove: key, ...where } : set(key, { dueAt: iso(new Date(nextAtMs)) }, { expected: { dueAt } }),
    ]);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'CONFLICT') throw error;
  }
};
