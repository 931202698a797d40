/** What the end of a restore touches beside its record, and how each is let go of. */
import { type BackupRecord, backupKey, retentionNote } from '../../backup/index.ts';
import { undoSeconds } from '../../contract/limits.ts';
import type { DestinationRecord } from '../../destination/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { after, getAll, iso, type Tenant, type Write } from '../../platform/index.ts';
import { databaseRelease, type JobRecord, jobRelease, type ProjectRecord, projectKey } from '../../project/index.ts';
import { heldBackups, type RestoreRecord, restoreKey } from './record.ts';

/** All of it as it was read at one moment; what is undefined is gone. */
export interface RestoreEndContext {
  readonly restore: RestoreRecord;
  /** The job that has the target. */
  readonly job: JobRecord | undefined;
  /** Those that it holds of what it reads: its backup, or what that is to be made of. */
  readonly held: readonly BackupRecord[];
  /** Of an undo: the backup that the other restore wrote from, if this one reads it. */
  readonly undoSource: BackupRecord | undefined;
  /** The safety backup; there is none before the journal is sealed, nor of what touches nothing. */
  readonly safety: BackupRecord | undefined;
  /** Of the backup. */
  readonly project: ProjectRecord | undefined;
  readonly target: ProjectRecord | undefined;
  /** Of the journal. */
  readonly destination: DestinationRecord | undefined;
  readonly organization: OrganizationRecord | undefined;
}

export const loadEndContext = async (tenant: Tenant, restoreJobId: string): Promise<RestoreEndContext | undefined> => {
  const [found] = await getAll([restoreKey.restore(tenant, restoreJobId)]);
  const restore = found as RestoreRecord | undefined;
  if (!restore) return undefined;
  const { projectId, targetProjectId, leftBy, journal } = restore;
  // A restore into the project of its backup asks for it once.
  const isElsewhere = projectId !== targetProjectId;
  const backups = heldBackups(restore);
  const [target, job, safety, destination, organization, ...others] = await getAll([
    projectKey.project(tenant, targetProjectId),
    projectKey.job(tenant, targetProjectId),
    backupKey.backup(tenant, journal.backupId),
    organizationKey.storageDestination(tenant, journal.storageDestination.id),
    organizationKey.organization(tenant),
    ...backups.map((backupId) => backupKey.backup(tenant, backupId)),
    ...(isElsewhere ? [projectKey.project(tenant, projectId)] : []),
    ...(leftBy ? [backupKey.backup(tenant, leftBy.backupId)] : []),
  ]);
  return {
    restore,
    job: job as JobRecord | undefined,
    held: others.slice(0, backups.length).filter((backup) => backup !== undefined) as unknown as BackupRecord[],
    undoSource: (leftBy && others.at(-1)) as BackupRecord | undefined,
    safety: safety as BackupRecord | undefined,
    project: (isElsewhere ? others[backups.length] : target) as ProjectRecord | undefined,
    target: target as ProjectRecord | undefined,
    destination: destination as DestinationRecord | undefined,
    organization: organization as OrganizationRecord | undefined,
  };
};

/** What the record of every restore that ends now says of it; it can be taken back as long as its safety backup is there. */
export const endFields = ({ safety }: Pick<RestoreEndContext, 'safety'>, now: Date) => ({
  completedAt: iso(now),
  undoUntil: safety?.status === 'completed' ? iso(after(now, undoSeconds)) : null,
});

/**
 * What every end has in common, for the transaction that sets the status. `completed` holds only while the target's lock names
 * the restore. Whose writers may still be at it keeps what it holds until they have stopped (`cleanUpRestore`).
 */
export const endRestoreWrites = (
  tenant: Tenant,
  around: RestoreEndContext,
  status: 'completed' | 'failed' | 'cancelled',
  now: Date,
  isStopped = status !== 'cancelled',
): readonly Write[] => {
  const { undoUntil } = endFields(around, now);
  const { restore, job, safety } = around;
  // From then on it is retention's to remove.
  const note = undoUntil && safety ? [retentionNote(tenant, now)] : [];
  if (!isStopped) return undoUntil && safety ? [keptUntil(tenant, safety, undoUntil), ...note] : [];
  // A lock that names another job is that job's.
  const isOurs = job?.jobId === restore.id;
  return [...(isOurs || status === 'completed' ? releases(tenant, around) : []), ...unheld(tenant, around, undoUntil), ...note];
};

/** Frees the target and both backups, once nothing works for the restore any more. */
export const releaseHoldsWrites = (tenant: Tenant, around: RestoreEndContext): readonly Write[] => [
  ...releases(tenant, around),
  ...unheld(tenant, around, null),
];

/** The lock of the target names that of its database. */
const releases = (tenant: Tenant, { restore: { id, targetProjectId }, job }: RestoreEndContext): readonly Write[] => [
  jobRelease(tenant, targetProjectId, id),
  ...(job?.jobId === id && job.database !== undefined ? [databaseRelease(tenant, job.database, id)] : []),
];

/** Each attempt holds the backups that it reads, and the safety backup from sealing on. */
const unheld = (tenant: Tenant, { held, undoSource: left, safety }: RestoreEndContext, keepUntil: string | null): readonly Write[] => [
  ...held.filter(isHeld).map((backup) => releaseHold(tenant, backup)),
  ...(undoSource && isHeld(undoSource) ? [releaseHold(tenant, undoSource)] : []),
  ...(safety && isHeld(safety) ? [releaseHold(tenant, safety, keepUntil)] : []),
  ...(safety && !isHeld(safety) && keepUntil ? [keptUntil(tenant, safety, keepUntil)] : []),
];

const isHeld = ({ restoring = 0 }: BackupRecord): boolean => restoring > 0;

/** One who holds the backup no longer does. */
export const releaseHold = (tenant: Tenant, { id }: Pick<BackupRecord, 'id'>, keepUntil: string | null = null): Write => ({
  update: backupKey.backup(tenant, id),
  expression: keepUntil ? 'ADD restoring :less SET expiresAt = :keepUntil' : 'ADD restoring :less',
  condition: 'restoring > :none',
  values: { ':less': -1, ':none': 0, ...(keepUntil && { ':keepUntil': keepUntil }) },
});

/** The same for one that another backup needs from now on: whoever is about to take it away at this moment has to look again. */
export const turnHoldIntoDependency = (tenant: Tenant, backup: Pick<BackupRecord, 'id'>): Write => ({
  ...releaseHold(tenant, backup),
  expression: 'ADD restoring :less, builtUpon :one',
  values: { ':less': -1, ':none': 0, ':one': 1 },
});

const keptUntil = (tenant: Tenant, { id }: BackupRecord, keepUntil: string): Write => ({
  update: backupKey.backup(tenant, id),
  expression: 'SET expiresAt = :keepUntil',
  condition: 'attribute_exists(pk)',
  values: { ':keepUntil': keepUntil },
});
