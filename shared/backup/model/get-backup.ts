import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import { clock, epochSeconds, get, type Tenant } from '../../platform/index.ts';
import { filterVisible } from '../../project/index.ts';
import { type BackupRecord, backupKey } from './record.ts';

export const noSuchBackup = (): ApiError => new ApiError('BACKUP_NOT_FOUND', 'There is no such backup');

/** The backup of that id, also one that was deleted less than 30 days ago; whatever else the text is, there is no such backup. */
export const readBackup = async (tenant: Tenant, backupId: string): Promise<BackupRecord> => {
  const record = isId('backup', backupId) ? await get(backupKey.backup(tenant, backupId)) : undefined;
  const [shown] = record ? await shownOf(tenant, [record], clock.now()) : [];
  if (!shown) throw noSuchBackup();
  return shown;
};

/** Not those that are on the other side while their project moves, nor those whose days as deleted ones are over. */
export const shownOf = (tenant: Tenant, records: readonly BackupRecord[], now: Date): Promise<readonly BackupRecord[]> =>
  filterVisible(
    tenant,
    records.filter(({ ttl }) => ttl === undefined || (ttl as number) > epochSeconds(now)),
  );
