import { undoSeconds } from '../../contract/limits.ts';
import {
  after,
  commit,
  epochSeconds,
  get,
  type Item,
  type Key,
  secureRandomBytes,
  set,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import type { RestoreRecord } from './record.ts';

/** Half of the key of a masked copy; the other half is the data key of its journal. Without it, hashes cannot be repeated. */
interface MaskSaltRecord extends Item {
  readonly salt: Uint8Array;
  readonly ttl: number;
}

export const maskSaltKey = (tenant: Tenant, restoreJobId: string): Key<MaskSaltRecord> => ({
  pk: `ORG#${tenant.organizationId}`,
  sk: `MASK#${restoreJobId}`,
});

/** A backstop: the end of the restore sets the time. */
const runningSeconds = 30 * 24 * 3_600;
const saltBytes = 32;

/** A new salt for an attempt that has written nothing; none if the restore is no masked copy. */
export const newMaskSalt = (tenant: Tenant, { id, transform }: RestoreRecord, now: Date): readonly Write[] => {
  if (!transform) return [];
  const ttl = epochSeconds(after(now, runningSeconds));
  return [{ put: { ...maskSaltKey(tenant, id), salt: secureRandomBytes(saltBytes), ttl } satisfies MaskSaltRecord }];
};

/** A resumed restore keeps its salt while it runs. */
export const keepMaskSalt = async (tenant: Tenant, { id, transform }: RestoreRecord, now: Date): Promise<readonly Write[]> => {
  const key = maskSaltKey(tenant, id);
  const isStored = transform !== undefined && (await get(key)) !== undefined;
  return isStored ? [set(key, { ttl: epochSeconds(after(now, runningSeconds)) })] : [];
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
