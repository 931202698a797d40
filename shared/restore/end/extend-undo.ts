import { commit, getAll, iso, StaleReadError, set, type Tenant, type Write, walk } from '../../platform/index.ts';
import { backupKey } from '../../stored-backup/index.ts';
import { type RestoreRecord, restoreKey, restorePrefix } from '../model/record.ts';

/** Those that the transaction of the deletion takes; two writes each. */
const restoresPerCommit = 30;
/** This many of the latest restores are read; earlier ones can hardly be undone any more. */
const readMax = 2_000;

/**
 * For the transaction that deletes an organization: what its restores wrote can be undone until it can no longer be recovered.
 * If there are more than the transaction takes, those before the newest are extended at once.
 */
export const extendUndo = async (tenant: Tenant, until: string, now: Date): Promise<readonly Write[]> => {
  const open = await openRestores(tenant, until, now);
  const safeties = await getAll(open.map(({ safetyBackupId }) => backupKey.backup(tenant, safetyBackupId ?? '')));
  const onConditionFailed = () => new StaleReadError();
  const writes = open.map(({ id, undoUntil }, n) => {
    const safety = safeties[n];
    if (safety?.status !== 'completed') return [];
    return [
      set(restoreKey.restore(tenant, id), { undoUntil: until }, { expected: { undoUntil }, onConditionFailed }),
      set(backupKey.backup(tenant, safety.id), { expiresAt: until }, { expected: { status: 'completed' }, onConditionFailed }),
    ];
  });
  for (let n = restoresPerCommit; n < writes.length; n += restoresPerCommit)
    await commit(writes.slice(n, n + restoresPerCommit).flat());
  return writes.slice(0, restoresPerCommit).flat();
};

const openRestores = async (tenant: Tenant, until: string, now: Date): Promise<readonly RestoreRecord[]> => {
  const { pk } = restoreKey.restore(tenant, '');
  const open: RestoreRecord[] = [];
  let read = 0;
  for await (const restore of walk<RestoreRecord>({ pk, prefix: restorePrefix, newestFirst: true })) {
    const { undoUntil, safetyBackupId, undoneBy } = restore;
    const isOpen = undoUntil !== null && undoUntil > iso(now) && undoUntil < until;
    if (isOpen && safetyBackupId !== undefined && undoneBy === null) open.push(restore);
    if (++read === readMax) break;
  }
  return open;
};
