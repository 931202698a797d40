import { undoSeconds } from '../../contract/limits.ts';
import { maskSaltExpiry, maskSaltKey, newMaskSaltItem } from '../../job/index.ts';
import { after, commit, epochSeconds, get, set, type Tenant, type Write } from '../../platform/index.ts';
import type { RestoreRecord } from './record.ts';

/** A new salt for an attempt that has written nothing; none if the restore is no masked copy. */
export const newMaskSalt = (tenant: Tenant, { id, transform }: RestoreRecord, now: Date): readonly Write[] => {
  if (!transform) return [];
  return [{ put: newMaskSaltItem(tenant, id, now) }];
};

/** A resumed restore keeps its salt while it runs. */
export const keepMaskSalt = async (tenant: Tenant, { id, transform }: RestoreRecord, now: Date): Promise<readonly Write[]> => {
  const key = maskSaltKey(tenant, id);
  const isStored = transform !== undefined && (await get(key)) !== undefined;
  return isStored ? [set(key, { ttl: maskSaltExpiry(now) })] : [];
};

/**
 * Destroys the key of a masked copy that has ended: at once if it wrote everything or nothing, otherwise when it can neither be
 * resumed nor undone any more.
 */
export const releaseMaskSalt = async (tenant: Tenant, restore: RestoreRecord): Promise<void> => {
  const { id, transform, dryRun, status, raced, failed, completedAt } = restore;
  if (!transform) return;
  const key = maskSaltKey(tenant, id);
  if (!(await get(key))) return;
  const isNeeded = !dryRun && !(status === 'completed' && raced + failed === 0) && completedAt !== null;
  const ttl = epochSeconds(after(new Date(completedAt ?? 0), undoSeconds));
  await commit([isNeeded ? set(key, { ttl }) : { remove: key }]);
};
