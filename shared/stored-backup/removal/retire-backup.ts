import { countBackups } from '../../destination/index.ts';
import { enqueue } from '../../event/index.ts';
import { after, epochSeconds, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { notLeaving } from '../../project/index.ts';
import { countInOrganization } from '../model/count-in-organization.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { removeRunningVerification } from '../model/verification-capacity.ts';

/** The record can still be read; its objects are deleted, or about to be. */
export const isRetired = ({ status }: Pick<BackupRecord, 'status'>): boolean => status === 'deleted' || status === 'expired';

const recordKeptSeconds = 30 * 24 * 3_600;

/**
 * Deletes or expires a backup that no other needs, provided that it is still as it was read. The record stays for 30 days; a task
 * deletes the objects, unless another record shares them.
 */
export const retireWrites = (
  tenant: Tenant,
  {
    backup,
    status,
    expected,
    now,
  }: {
    readonly backup: BackupRecord;
    readonly status: 'deleted' | 'expired';
    readonly expected: Readonly<Record<string, unknown>>;
    readonly now: Date;
  },
): readonly Write[] => {
  const { id, status: previous, size, storageDestination, archive, verification, path } = backup;
  const ttl = epochSeconds(after(now, recordKeptSeconds));
  const { restoring, builtUpon, heldFor, anomalyState } = backup;
  return [
    set(
      backupKey.backup(tenant, id),
      { status, ttl },
      {
        expected: { status: previous, ...notLeaving, restoring, builtUpon, heldFor, anomalyState, ...expected },
        onConditionFailed: () => new StaleReadError(),
      },
    ),
    // Until its objects are deleted, they cannot be imported, and the destination cannot be deleted.
    {
      put: {
        ...backupKey.archive(tenant, archive.backup, id),
        backupId: id,
        path,
        isErasing: true,
        erasingFrom: storageDestination.id,
        ttl,
      },
    },
    // The clean-up of an uncompleted or expired backup has already updated these counts.
    ...(previous === 'completed'
      ? [countInOrganization(tenant, { backups: -1, bytes: size }), countBackups(tenant, storageDestination.id, -1)]
      : []),
    ...(verification?.status === 'running' ? [removeRunningVerification(tenant, id)] : []),
    enqueue(tenant, { kind: 'erase-backup', backupId: id }, now),
  ];
};
