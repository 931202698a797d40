/** Deleting a backup: it is gone at once for whoever asks; its objects follow. */
import { ApiError } from '../contract/errors.ts';
import { type Change, iso, type Tenant, walk } from '../platform/index.ts';
import { refuseLeaving } from '../project/index.ts';
import { departureWrites } from './departure.ts';
import { noSuchBackup } from './read.ts';
import { type BackupRecord, backupPrefix } from './record.ts';

/** The first backup that was made upon this one and is still there: without its parent it could not be read. */
export const childOf = async (tenant: Tenant, { id, projectId }: BackupRecord): Promise<BackupRecord | undefined> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, where: { projectId, parentBackupId: id } };
  // Younger than its parent.
  for await (const child of walk({ ...range, from: `${backupPrefix}${id}` }) as AsyncIterable<BackupRecord>)
    if (child.status === 'completed' || child.status === 'pending' || child.status === 'running') return child;
  return undefined;
};

/** The record stays for 30 days and says `deleted`; the task removes the objects, unless another record shares them. */
export const removeBackup = (tenant: Tenant, backup: BackupRecord, child: BackupRecord | undefined, now: Date): Change => {
  const { id, status, projectId, size, safetyOf } = backup;
  refuseUnlessFree(backup, child, now);
  const details = { projectId, status, size, ...(safetyOf !== undefined && { restoreJobId: safetyOf }) };
  return {
    writes: departureWrites(tenant, backup, 'deleted', {}, now),
    audit: [{ scope: tenant.organizationId, resource: { type: 'backup', id }, details }],
  };
};

const refuseUnlessFree = (backup: BackupRecord, child: BackupRecord | undefined, now: Date): void => {
  const { id, status, lockedUntil, restoring = 0 } = backup;
  if (status === 'deleted') throw noSuchBackup();
  refuseLeaving(backup);
  if (status === 'pending' || status === 'running')
    throw new ApiError('JOB_IN_PROGRESS', `The backup is ${status}; cancel it first`, { jobId: id, kind: 'backup' });
  if (restoring > 0)
    throw new ApiError('JOB_IN_PROGRESS', 'The backup is being restored; delete it when that has ended', { kind: 'restore' });
  if (lockedUntil !== null && lockedUntil > iso(now))
    throw new ApiError('CONFLICT', `The backup is locked until ${lockedUntil}`, { lockedUntil });
  if (child) throw new ApiError('CONFLICT', `The backup ${child.id} needs this one; delete it first`, { neededBy: child.id });
};
