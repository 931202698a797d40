/** What a restore holds (project lock, database lock, holds on backups) and the writes that release it. */

import { undoSeconds } from '../../contract/limits.ts';
import type { DestinationRecord } from '../../destination/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { after, get, getAll, iso, set, type Tenant, type Write } from '../../platform/index.ts';
import { databaseRelease, type JobLock, jobRelease, type ProjectRecord, projectKey } from '../../project/index.ts';
import { type BackupRecord, backupKey, markRetentionDue } from '../../stored-backup/index.ts';
import { heldBackups, type RestoreRecord, restoreKey } from './record.ts';

/** All records read together; undefined if one is gone. */
export interface RestoreEndContext {
  readonly restore: RestoreRecord;
  /** The job that holds the target's lock. */
  readonly job: JobLock | undefined;
  /** Backups that the restore holds to read from: its backup, or those its point in time is built from. */
  readonly held: readonly BackupRecord[];
  /** Of an undo: the backup that the undone restore wrote from, if this one reads it. */
  readonly undoSource: BackupRecord | undefined;
  /** The safety backup; none before the journal is sealed, nor if nothing is touched. */
  readonly safety: BackupRecord | undefined;
  readonly project: ProjectRecord | undefined;
  readonly target: ProjectRecord | undefined;
  readonly destination: DestinationRecord | undefined;
  readonly organization: OrganizationRecord | undefined;
}

export const loadEndContext = async (tenant: Tenant, restoreJobId: string): Promise<RestoreEndContext | undefined> => {
  const restore = await get(restoreKey.restore(tenant, restoreJobId));
  if (!restore) return undefined;
  const { projectId, targetProjectId, leftBy, journal } = restore;
  const [target, project, job, safety, destination, organization, undoSource, ...held] = await getAll([
    projectKey.project(tenant, targetProjectId),
    projectKey.project(tenant, projectId),
    projectKey.job(tenant, targetProjectId),
    backupKey.backup(tenant, journal.backupId),
    organizationKey.storageDestination(tenant, journal.storageDestination.id),
    organizationKey.organization(tenant),
    backupKey.backup(tenant, leftBy?.backupId ?? journal.backupId),
    ...heldBackups(restore).map((backupId) => backupKey.backup(tenant, backupId)),
  ]);
  return {
    restore,
    job,
    held: held.filter((backup) => backup !== undefined),
    undoSource: leftBy && undoSource,
    safety,
    project,
    target,
    destination: destination as DestinationRecord | undefined,
    organization,
  };
};

/** Fields of every restore that ends now; it can be undone as long as its safety backup exists. */
export const endFields = ({ safety }: Pick<RestoreEndContext, 'safety'>, now: Date) => ({
  completedAt: iso(now),
  undoUntil: safety?.status === 'completed' ? iso(after(now, undoSeconds)) : null,
});

interface RestoreEnd {
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly now: Date;
  readonly isStopped?: boolean;
}

/**
 * Writes common to every end, for the transaction that sets the status. `completed` requires that the target's lock names the
 * restore. A restore whose writers may still be active keeps what it holds until they have stopped (`cleanUpRestore`).
 */
export const endRestoreWrites = (
  tenant: Tenant,
  context: RestoreEndContext,
  { status, now, isStopped = status !== 'cancelled' }: RestoreEnd,
): readonly Write[] => {
  const { undoUntil } = endFields(context, now);
  const { restore, job, safety } = context;
  // From now on retention deletes the safety backup.
  const note = undoUntil && safety ? [markRetentionDue(tenant, now)] : [];
  if (!isStopped) return undoUntil && safety ? [keepUntil(tenant, safety, undoUntil), ...note] : [];
  // A lock that names another job belongs to that job.
  const isOurs = job?.jobId === restore.id;
  return [
    ...(isOurs || status === 'completed' ? releaseLocks(tenant, context) : []),
    ...releaseBackups(tenant, context, undoUntil),
    ...note,
  ];
};

export const releaseHoldsWrites = (tenant: Tenant, context: RestoreEndContext): readonly Write[] => [
  ...releaseLocks(tenant, context),
  ...releaseBackups(tenant, context, null),
];

/** The lock of the target names the lock of its database. */
const releaseLocks = (tenant: Tenant, { restore: { id, targetProjectId }, job }: RestoreEndContext): readonly Write[] => [
  jobRelease(tenant, targetProjectId, id),
  ...(job?.jobId === id && job.database !== undefined ? [databaseRelease(tenant, job.database, id)] : []),
];

/** Each attempt holds the backups that it reads and, once sealed, the safety backup. */
const releaseBackups = (
  tenant: Tenant,
  { held, undoSource, safety }: RestoreEndContext,
  undoUntil: string | null,
): readonly Write[] => [
  ...held.filter(isHeld).map((backup) => releaseHold(tenant, backup)),
  ...(undoSource && isHeld(undoSource) ? [releaseHold(tenant, undoSource)] : []),
  ...(safety && isHeld(safety) ? [releaseHold(tenant, safety, undoUntil)] : []),
  ...(safety && !isHeld(safety) && undoUntil ? [keepUntil(tenant, safety, undoUntil)] : []),
];

const isHeld = ({ restoring = 0 }: BackupRecord): boolean => restoring > 0;

/** Ends a hold of `holdBackup`. */
export const releaseHold = (tenant: Tenant, { id }: Pick<BackupRecord, 'id'>, expiresAt: string | null = null): Write => ({
  update: backupKey.backup(tenant, id),
  expression: expiresAt ? 'ADD restoring :less SET expiresAt = :expiresAt' : 'ADD restoring :less',
  condition: 'restoring > :none',
  values: { ':less': -1, ':none': 0, ...(expiresAt && { ':expiresAt': expiresAt }) },
});

/** Releases a hold and counts a dependent backup in one write, so that a concurrent delete fails its condition and re-evaluates. */
export const turnHoldIntoDependency = (tenant: Tenant, backup: Pick<BackupRecord, 'id'>): Write => ({
  ...releaseHold(tenant, backup),
  expression: 'ADD restoring :less, builtUpon :one',
  values: { ':less': -1, ':none': 0, ':one': 1 },
});

const keepUntil = (tenant: Tenant, { id }: BackupRecord, expiresAt: string): Write =>
  set(backupKey.backup(tenant, id), { expiresAt });
