import { backupKey } from '../../backup/index.ts';
import { getAll, iso, query, set, type Tenant, type Write } from '../../platform/index.ts';
import { type RestoreRecord, restoreKey, restorePrefix } from '../model/record.ts';

/** As many as fit into the transaction of a deletion. */
const restoresMax = 30;
/** Of the last days; an older restore can no longer be undone. */
const readMax = 500;

/** For the transaction that deletes an organization: what its restores wrote can be undone until it can no longer be recovered. */
export const extendUndo = async (tenant: Tenant, until: string, now: Date): Promise<readonly Write[]> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: restorePrefix, newestFirst: true, limit: readMax };
  const isOpen = ({ undoUntil, safetyBackupId }: RestoreRecord): boolean =>
    undoUntil !== null && undoUntil > iso(now) && undoUntil < until && safetyBackupId !== undefined;
  const open = (await query<RestoreRecord>(range)).items.filter(isOpen).slice(0, restoresMax);
  const safeties = await getAll(open.map(({ safetyBackupId }) => backupKey.backup(tenant, safetyBackupId ?? '')));
  return open.flatMap(({ id, undoUntil }, n) => {
    const safety = safeties[n];
    if (safety?.status !== 'completed') return [];
    return [
      set(restoreKey.restore(tenant, id), { undoUntil: until }, { expected: { undoUntil } }),
      set(backupKey.backup(tenant, safety.id), { expiresAt: until }, { expected: { status: 'completed' } }),
    ];
  });
};
