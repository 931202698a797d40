/** Base backups: which backups captures can build on, and starting one. */

import { assertBackupCapacity, resolveType, startBackup } from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { readDestination } from '../../destination/index.ts';
import { after, commit, get, idBounds, iso, type Tenant, type Write, walk } from '../../platform/index.ts';
import { isInMove, readJob } from '../../project/index.ts';
import {
  type ArchiveDeps,
  type BackupRecord,
  backupKey,
  backupPrefix,
  currentEncryption,
  holdParent,
  isPlanned,
  isRestorePointBackup,
  openRawArchive,
  type PlannedBackup,
  readEncryption,
} from '../../stored-backup/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { baseRetrySeconds } from '../model/failure-backoff.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import type { Gap, PitrRecord } from '../model/record.ts';
import { periodAt } from '../timeline/sampled-periods.ts';
import { needsReadBase } from './needs-read-base.ts';

const minuteMicros = 60 * 1_000_000;
/** The source keeps history for an hour: captures must begin on a base well before that. */
export const startMaxMicros = 45 * minuteMicros;
/** An existing backup of at most this age is used instead of a new one. */
const foundMaxMicros = 10 * minuteMicros;

/** Whether it is complete, undamaged, and has the archive identity of this organization and project, which its key is bound to. */
const isComplete = (
  tenant: Tenant,
  { projectId, storageDestination }: PitrRecord,
  backup: BackupRecord,
): backup is PlannedBackup =>
  backup.status === 'completed' &&
  backup.projectId === projectId &&
  isPlanned(backup) &&
  backup.collections.length === 1 &&
  backup.collections[0] === '*' &&
  backup.excludedCollections.length === 0 &&
  !backup.isPartial &&
  !backup.mayLackCollections &&
  backup.damagedDepth === undefined &&
  !isInMove(backup) &&
  backup.storageDestination.id === storageDestination.id &&
  backup.archive.organization === tenant.organizationId &&
  backup.archive.project === projectId &&
  // An import may hold anything, and a restore point expires in days.
  backup.trigger !== 'import' &&
  !isRestorePointBackup(backup);

export const isBuilt = ({ builtFrom }: BackupRecord): boolean => builtFrom === 'changes';

export const readTimeOf = ({ readTime }: PlannedBackup): number => microsOf(readTime);

/** Whether captures can begin on it: after every loss, not a base before, and within the history of the source. */
export const canBegin = (
  tenant: Tenant,
  backup: BackupRecord,
  { pitr, now }: { readonly pitr: PitrRecord; readonly now: Date },
): backup is PlannedBackup => {
  if (!isComplete(tenant, pitr, backup) || isBuilt(backup)) return false;
  const ageMicros = now.getTime() * 1_000 - readTimeOf(backup);
  const isAfterLoss = pitr.gaps.every((gap) => !isOpen(gap) || readTimeOf(backup) > microsOf(gap.from));
  const isUsed = pitr.bases.some(({ backupId }) => backupId === backup.id);
  // Batches are in order of time: none can precede the last.
  const isAhead = pitr.capturedTo === null || readTimeOf(backup) >= microsOf(pitr.capturedTo);
  return isAfterLoss && isAhead && !isUsed && ageMicros <= (backup.id === pitr.comingBaseId ? startMaxMicros : foundMaxMicros);
};

/** Whether its read time is after that of the last base and captured already. */
export const canFollow = (tenant: Tenant, pitr: PitrRecord, backup: BackupRecord): backup is PlannedBackup => {
  const last = pitr.bases.at(-1);
  if (!isComplete(tenant, pitr, backup) || pitr.capturedTo === null) return false;
  // The moment of a built backup is the end of a capture, and was proven when it was planned, whatever it was built upon.
  if (isBuilt(backup) ? backup.buildBase === undefined : isInterrupted(pitr, backup)) return false;
  return readTimeOf(backup) <= microsOf(pitr.capturedTo) && (!last || readTimeOf(backup) > microsOf(last.readTime));
};

/** Whether it can follow once its read time is captured. */
export const canFollowSoon = (tenant: Tenant, pitr: PitrRecord, backup: BackupRecord): backup is PlannedBackup =>
  isComplete(tenant, pitr, backup) &&
  !isBuilt(backup) &&
  pitr.capturedTo !== null &&
  readTimeOf(backup) > microsOf(pitr.capturedTo);

/** Its read time is not proven: it may have documents whose deletion was not observed, which would then exist for ever. */
export const isInterrupted = ({ interrupted, sampled }: PitrRecord, backup: PlannedBackup): boolean => {
  const readTime = momentOf(readTimeOf(backup));
  return periodAt(interrupted, readTime) !== undefined || periodAt(sampled, readTime) !== undefined;
};

/** Whether it has read everything after the audit last found differences. */
export const endsDivergence = ({ diverged }: PitrRecord, backup: PlannedBackup): boolean =>
  backup.builtFrom !== 'changes' && (diverged ?? []).every(({ to }) => microsOf(to) < readTimeOf(backup));

const isOpen = ({ to, collections }: Gap): boolean => to === null && collections === undefined;

/** The newest matching backup started within that time. */
export const findBackup = async (
  tenant: Tenant,
  {
    pitr: { projectId },
    now,
    seconds,
    fits,
  }: {
    readonly pitr: PitrRecord;
    readonly now: Date;
    readonly seconds: number;
    readonly fits: (backup: BackupRecord) => backup is PlannedBackup;
  },
): Promise<PlannedBackup | undefined> => {
  const { first } = idBounds('backup', after(now, -seconds), now);
  const where = { projectId, status: 'completed' };
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, from: `${backupPrefix}${first}` };
  for await (const backup of walk<BackupRecord>({ ...range, newestFirst: true, where })) if (fits(backup)) return backup;
  return undefined;
};

/** A backup may wait this long before it is read. */
const waitMaxSeconds = 3_600;

export interface BackupRead {
  /** In microseconds. */
  readonly at: number;
  /** Whether it is the requested base. */
  readonly isRequested: boolean;
}

/** When backups were read since a moment in microseconds: each may become a base. */
export const findReadTimes = async (
  { tenant, pitr }: CycleContext,
  { since: from, now }: { readonly since: number; readonly now: Date },
): Promise<readonly BackupRead[]> => {
  const { first } = idBounds('backup', after(new Date(from / 1_000), -waitMaxSeconds), now);
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, from: `${backupPrefix}${first}` };
  const found: BackupRead[] = [];
  for await (const backup of walk<BackupRecord>({ ...range, where: { projectId: pitr.projectId } }))
    if (isPlanned(backup) && !isBuilt(backup) && !isRestorePointBackup(backup) && readTimeOf(backup) > from)
      found.push({ at: readTimeOf(backup), isRequested: backup.id === pitr.comingBaseId });
  return found;
};

export const readRequestedBase = async (tenant: Tenant, { comingBaseId }: PitrRecord): Promise<BackupRecord | undefined> =>
  comingBaseId === null ? undefined : await get(backupKey.backup(tenant, comingBaseId));

/** The back-off begins at the failure, not at the start of the backup. */
export const failedBase = ({ baseFailures }: PitrRecord, now: Date): Pick<PitrRecord, 'baseTriedAt' | 'baseFailures'> => ({
  baseTriedAt: iso(now),
  baseFailures: baseFailures + 1,
});

/** Whether a base may start now. After a failure or a loss, the next one waits. */
export const mayStartBase = (pitr: PitrRecord, now: Date): boolean => {
  const { comingBaseId, baseTriedAt, isTooLarge, losses = 0, baseFailures } = pitr;
  if (comingBaseId !== null || isTooLarge) return false;
  return baseTriedAt === null || losses + baseFailures === 0 || after(new Date(baseTriedAt), baseRetrySeconds(pitr)) <= now;
};

/** Starts a base backup, incremental and built from changes if possible. Undefined if the project is not connected or busy, or the organization is at its limit. */
export const startBase = async (
  cycle: CycleContext,
  now: Date,
  note: (changed: Partial<PitrRecord>) => Write,
): Promise<string | undefined> => {
  const { tenant, project, pitr } = cycle;
  // A running backup may become the base itself.
  if (project.status !== 'connected' || (await readJob(tenant, project.id))) return undefined;
  try {
    await assertBackupCapacity(tenant);
    const [destination, chosen] = await Promise.all([
      readDestination(tenant, pitr.storageDestination.id),
      readEncryption(tenant),
    ]);
    const scope = { collections: ['*'], excludeCollections: [] };
    const source = needsReadBase(pitr, now) ? 'read' : 'auto';
    const resolved = await resolveType({ tenant, project, destination }, { ...scope, type: 'incremental' });
    const { backup, writes } = startBackup(
      { tenant, project, destination, encryption: currentEncryption(chosen) },
      { ...scope, ...resolved, includeAuthUsers: false, source, trigger: 'pitr-base', createdBy: pitr.createdBy },
      now,
    );
    await commit([note({ comingBaseId: backup.id, baseTriedAt: iso(now) }), ...writes]);
    return backup.id;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'JOB_IN_PROGRESS') return undefined;
    throw error;
  }
};

/** Document counts by collection id, at any depth, from the backup's manifest. */
export const collectionsOf = async (
  tenant: Tenant,
  backup: BackupRecord,
  deps: ArchiveDeps,
): Promise<ReadonlyMap<string, number>> => {
  const { archive, close } = await openRawArchive(tenant, { backup, deps });
  close();
  return new Map(archive.manifest.collections.map(({ id, documents }) => [id, documents]));
};

/** Holds a backup as a base. A concurrent delete that read the old count fails its condition and re-evaluates. */
export const holdBase = (tenant: Tenant, backupId: string): Write => holdParent(tenant, backupId, { set: { pitrBase: true } });
