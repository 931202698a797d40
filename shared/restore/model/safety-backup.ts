/** A restore is offered to be taken back as long as its safety backup is there. */
import { type BackupRecord, backupKey, isRetired } from '../../backup/index.ts';
import { get, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { type RestoreRecord, restoreKey } from './record.ts';

/**
 * For the transaction that takes a backup away: the restore whose safety backup it is cannot be taken back any more, and says so.
 * The backup goes, too, if the restore is gone or follows its project later; one that comes meanwhile is looked at.
 */
export const closeUndoWindow = async (tenant: Tenant, { safetyOf }: BackupRecord): Promise<readonly Write[]> => {
  if (safetyOf === undefined) return [];
  const key = restoreKey.restore(tenant, safetyOf);
  const onConditionFailed = () => new StaleReadError();
  if (await get(key)) return [set(key, { undoUntil: null }, { onConditionFailed })];
  return [{ check: key, condition: 'attribute_not_exists(pk)', onConditionFailed }];
};

/** For the transaction that brings a restore to another organization, after its safety backup: that may be gone there by now. */
export const moveUndoWindow = async (
  to: Tenant,
  { undoUntil, safetyBackupId }: RestoreRecord,
): Promise<{ undoUntil: string | null; writes: readonly Write[] }> => {
  if (undoUntil === null || safetyBackupId === undefined) return { undoUntil, writes: [] };
  const key = backupKey.backup(to, safetyBackupId);
  const safety = await get(key);
  if (!safety || isRetired(safety)) return { undoUntil: null, writes: [] };
  const condition = '#status = :status';
  return { undoUntil, writes: [{ check: key, condition, names: { '#status': 'status' }, values: { ':status': safety.status } }] };
};
