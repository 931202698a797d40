import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import { clock, epochSeconds, get, type Tenant } from '../../platform/index.ts';
import { filterVisible } from '../../project/index.ts';
import { type BackupRecord, backupKey } from './record.ts';

export const noSuchBackup = (): ApiError => new ApiError('BACKUP_NOT_FOUND', 'There is no such backup');

/** Backups deleted less than 30 days ago are included. Throws BACKUP_NOT_FOUND for a malformed or unknown id. */
export const readBackup = async (tenant: Tenant, backupId: string): Promise<BackupRecord> => {
  const record = isId('backup', backupId) ? await get(backupKey.backup(tenant, backupId)) : undefined;
  const [visible] = record ? await visibleBackups(tenant, [record], clock.now()) : [];
  if (!visible) throw noSuchBackup();
  return visible;
};

/** Drops backups that belong to another organization while their project moves, and deleted ones past their 30 days. */
export const visibleBackups = <R extends Pick<BackupRecord, 'projectId' | 'arriving' | 'leaving' | 'ttl'>>(
  tenant: Tenant,
  records: readonly R[],
  now: Date,
): Promise<readonly R[]> =>
  filterVisible(
    tenant,
    records.filter(({ ttl }) => ttl === undefined || (ttl as number) > epochSeconds(now)),
  );
