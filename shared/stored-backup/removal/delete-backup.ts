import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { type Change, get, iso, type Tenant, walk } from '../../platform/index.ts';
import { assertNotLeaving, readJob } from '../../project/index.ts';
import { noSuchBackup } from '../model/read-backup.ts';
import { type BackupRecord, backupKey, backupPrefix } from '../model/record.ts';
import { retireWrites } from './retire-backup.ts';

/**
 * The first backup that depends on this one, to be read or to be made. A child that starts after this one was read changes
 * `builtUpon`. Running children are checked before completed ones, and those oldest first, so that a child that completes
 * meanwhile is found as well.
 */
export const findDependentBackup = async (tenant: Tenant, backup: BackupRecord): Promise<BackupRecord | undefined> => {
  const running = await findRunningChild(tenant, backup);
  if (running) return running;
  const where = { status: 'completed', type: 'incremental' };
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, where };
  for await (const other of walk<BackupRecord>(range))
    if (other.id !== backup.id && other.needs?.includes(backup.archive.backup)) return other;
  return undefined;
};

/** A project has one job at a time, so only that one can be a running child. */
const findRunningChild = async (tenant: Tenant, { id, projectId }: BackupRecord): Promise<BackupRecord | undefined> => {
  const job = await readJob(tenant, projectId);
  const child = job && (await get(backupKey.backup(tenant, job.jobId)));
  return child && isRunning(child) && (child.parentBackupId === id || child.synthesizedFrom === id) ? child : undefined;
};
const isRunning = ({ status }: BackupRecord): boolean => status === 'pending' || status === 'running';

/** The record stays for 30 days with status `deleted`; a task deletes the objects, unless another record shares them. */
export const deleteBackup = (
  tenant: Tenant,
  { backup, child, now }: { readonly backup: BackupRecord; readonly child: BackupRecord | undefined; readonly now: Date },
): Change => {
  const { id, status, projectId, size, safetyOf } = backup;
  assertDeletable(backup, child, now);
  const details = { projectId, status, size, ...(safetyOf !== undefined && { restoreJobId: safetyOf }) };
  return {
    writes: retireWrites(tenant, { backup, status: 'deleted', expected: {}, now }),
    audit: [auditNote(tenant, { type: 'backup', id, details })],
  };
};

const assertDeletable = (backup: BackupRecord, child: BackupRecord | undefined, now: Date): void => {
  const { id, status, lockedUntil, restoring = 0 } = backup;
  if (status === 'deleted') throw noSuchBackup();
  assertNotLeaving(backup);
  if (status === 'pending' || status === 'running')
    throw new ApiError('JOB_IN_PROGRESS', `The backup is ${status}. Cancel it first`, { jobId: id, kind: 'backup' });
  if (restoring > 0)
    throw new ApiError('JOB_IN_PROGRESS', 'The backup is being restored or exported. Delete it when that has ended', {
      kind: 'restore',
    });
  if (lockedUntil !== null && lockedUntil > iso(now))
    throw new ApiError('CONFLICT', `The backup is locked until ${lockedUntil}`, { lockedUntil });
  if (backup.pitrBase)
    throw new ApiError('CONFLICT', 'Point-in-time recovery of the project needs this backup', { neededBy: 'pitr' });
  assertAcknowledged(backup);
  if (child) throw neededBy(child);
};

/** Until a person acknowledges what was found, neither the marked backup nor the last one from before it is deleted. */
const assertAcknowledged = ({ id, anomalyState, heldFor }: BackupRecord): void => {
  if (anomalyState === 'open')
    throw new ApiError('CONFLICT', 'Something unusual was found in this backup. Acknowledge it first', { acknowledge: id });
  const [marked] = heldFor ?? [];
  if (marked !== undefined)
    throw new ApiError(
      'CONFLICT',
      `This is the last backup from before ${marked}, in which something unusual was found. Acknowledge that one first`,
      { acknowledge: marked, neededBy: marked },
    );
};

const neededBy = (child: BackupRecord): ApiError => {
  const message = isRunning(child)
    ? `The backup ${child.id} is being made from this one`
    : `The backup ${child.id} depends on this one. Delete it first`;
  return new ApiError('CONFLICT', message, { neededBy: child.id });
};
