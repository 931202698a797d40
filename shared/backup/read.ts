import { ApiError } from '../contract/errors.ts';
import { isId } from '../contract/id.ts';
import { clock, epochSeconds, get, type Tenant } from '../platform/index.ts';
import { type BackupRecord, backupKey } from './record.ts';

export const noSuchBackup = (): ApiError => new ApiError('BACKUP_NOT_FOUND', 'There is no such backup');

/** The backup of that id, also one that was deleted less than 30 days ago; whatever else the text is, there is no such backup. */
export const readBackup = async (tenant: Tenant, backupId: string): Promise<BackupRecord> => {
  const record = isId('backup', backupId)
    ? ((await get(backupKey.backup(tenant, backupId))) as BackupRecord | undefined)
    : undefined;
  if (!record || !isShown(record, clock.now())) throw noSuchBackup();
  return record;
};

/** False while it moves in with its project, and once its days as a deleted one are over. */
export const isShown = ({ arriving, ttl }: BackupRecord, now: Date): boolean =>
  arriving === undefined && (ttl === undefined || (ttl as number) > epochSeconds(now));
