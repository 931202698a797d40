/** A restore can be undone as long as its safety backup exists. */

import { check, get, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { type BackupRecord, backupKey, isRetired } from '../../stored-backup/index.ts';
import { type RestoreRecord, restoreKey } from './record.ts';

/**
 * For the transaction that deletes a backup: the restore whose safety backup it is can no longer be undone. If that restore is
 * gone or moves with its project later, the transaction checks that it is still absent.
 */
export const closeUndoWindow = async (tenant: Tenant, { safetyOf }: BackupRecord): Promise<readonly Write[]> => {
  if (safetyOf === undefined) return [];
  const key = restoreKey.restore(tenant, safetyOf);
  const onConditionFailed = () => new StaleReadError();
  if (await get(key)) return [set(key, { undoUntil: null }, { onConditionFailed })];
  return [{ check: key, condition: 'attribute_not_exists(pk)', onConditionFailed }];
};

/** For the transaction that moves a restore to another organization. Its safety backup moved first and may be deleted by now. */
export const moveUndoWindow = async (
  to: Tenant,
  { undoUntil, safetyBackupId }: RestoreRecord,
): Promise<{ undoUntil: string | null; writes: readonly Write[] }> => {
  if (undoUntil === null || safetyBackupId === undefined) return { undoUntil, writes: [] };
  const key = backupKey.backup(to, safetyBackupId);
  const safety = await get(key);
  if (!safety || isRetired(safety)) return { undoUntil: null, writes: [] };
  return { undoUntil, writes: [check(key, { status: safety.status })] };
};
