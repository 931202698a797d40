/** Deleting a backup: it is gone at once for whoever asks; its objects follow. */
import { ApiError } from '../../contract/errors.ts';
import { type Change, get, iso, type Tenant, walk } from '../../platform/index.ts';
import { assertNotLeaving, readJob } from '../../project/index.ts';
import { noSuchBackup } from '../model/get-backup.ts';
import { type BackupRecord, backupKey, backupPrefix } from '../model/record.ts';
import { retireWrites } from './retire-backup.ts';

/**
 * The first backup that could not be read, or made, without this one. Whoever begins upon it after it was read is noticed by
 * `builtUpon`; so what is being made is looked at before what is completed, and that oldest first: whoever takes over from
 * another what it needs comes after it.
 */
export const findDependentBackup = async (tenant: Tenant, backup: BackupRecord): Promise<BackupRecord | undefined> => {
  const maker = await makerUpon(tenant, backup);
  if (maker) return maker;
  const where = { status: 'completed', type: 'incremental' };
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, where };
  for await (const other of walk<BackupRecord>(range))
    if (other.id !== backup.id && other.needs?.includes(backup.archive.backup)) return other;
  return undefined;
};

/** Upon a backup of a project only the one job of that project can be making another. */
const makerUpon = async (tenant: Tenant, { id, projectId }: BackupRecord): Promise<BackupRecord | undefined> => {
  const job = await readJob(tenant, projectId);
  const maker = job && (await get(backupKey.backup(tenant, job.jobId)));
  return maker && isMaking(maker) && (maker.parentBackupId === id || maker.synthesizedFrom === id) ? maker : undefined;
};
const isMaking = ({ status }: BackupRecord): boolean => status === 'pending' || status === 'running';

/** The record stays for 30 days and says `deleted`; the task removes the objects, unless another record shares them. */
export const removeBackup = (tenant: Tenant, backup: BackupRecord, child: BackupRecord | undefined, now: Date): Change => {
  const { id, status, projectId, size, safetyOf } = backup;
  refuseUnlessFree(backup, child, now);
  const details = { projectId, status, size, ...(safetyOf !== undefined && { restoreJobId: safetyOf }) };
  return {
    writes: retireWrites(tenant, backup, 'deleted', {}, now),
    audit: [{ scope: tenant.organizationId, resource: { type: 'backup', id }, details }],
  };
};

const refuseUnlessFree = (backup: BackupRecord, child: BackupRecord | undefined, now: Date): void => {
  const { id, status, lockedUntil, restoring = 0 } = backup;
  if (status === 'deleted') throw noSuchBackup();
  assertNotLeaving(backup);
  if (status === 'pending' || status === 'running')
    throw new ApiError('JOB_IN_PROGRESS', `The backup is ${status}; cancel it first`, { jobId: id, kind: 'backup' });
  if (restoring > 0)
    throw new ApiError('JOB_IN_PROGRESS', 'The backup is being restored; delete it when that has ended', { kind: 'restore' });
  if (lockedUntil !== null && lockedUntil > iso(now))
    throw new ApiError('CONFLICT', `The backup is locked until ${lockedUntil}`, { lockedUntil });
  if (backup.pitrBase)
    throw new ApiError('CONFLICT', 'Point-in-time recovery of the project needs this backup', { neededBy: 'pitr' });
  if (child) throw neededBy(child);
};

const neededBy = (child: BackupRecord): ApiError => {
  const message = isMaking(child)
    ? `The backup ${child.id} is being made upon this one`
    : `The backup ${child.id} finds records in this one; delete it first`;
  return new ApiError('CONFLICT', message, { neededBy: child.id });
};
