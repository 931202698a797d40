import { countBackups } from '../../destination/index.ts';
import { enqueue } from '../../event/index.ts';
import { after, epochSeconds, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { countInOrganization } from '../model/count-in-organization.ts';
import { removeRunningVerification } from '../model/job-capacity.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';

/** Its record can still be looked at; its objects are gone, or are being removed. */
export const isRetired = ({ status }: Pick<BackupRecord, 'status'>): boolean => status === 'deleted' || status === 'expired';

/** How long the record of a backup that is gone can still be looked at. */
const recordKeptSeconds = 30 * 24 * 3_600;

/**
 * Takes a backup away, if it still is as it was read: the record stays for 30 days and says why it is gone; the task removes
 * the objects, unless another record shares them. Nobody else may need it.
 */
export const retireWrites = (
  tenant: Tenant,
  backup: BackupRecord,
  status: 'deleted' | 'expired',
  where: Readonly<Record<string, unknown>>,
  now: Date,
): readonly Write[] => {
  const { id, status: was, size, storageDestination, archive, verification, path } = backup;
  const ttl = epochSeconds(after(now, recordKeptSeconds));
  const { restoring, builtUpon } = backup;
  return [
    set(
      backupKey.backup(tenant, id),
      { status, ttl },
      {
        expected: { status: was, leaving: undefined, restoring, builtUpon, ...where },
        onConditionFailed: () => new StaleReadError(),
      },
    ),
    // Until its objects are gone nobody takes them for a backup.
    { put: { ...backupKey.archive(tenant, archive.backup, id), backupId: id, path, isErasing: true, ttl } },
    // What failed, was cancelled or expired was taken off these counts when its objects went.
    ...(was === 'completed' ? [countInOrganization(tenant, -1, size), countBackups(tenant, storageDestination.id, -1)] : []),
    ...(verification?.status === 'running' ? [removeRunningVerification(tenant, id)] : []),
    enqueue(tenant, { kind: 'erase-backup', backupId: id }, now),
  ];
};
