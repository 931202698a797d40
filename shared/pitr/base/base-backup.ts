/** Which backups changes can be added to, and having one made. */
import {
  assertBackupCapacity,
  type BackupRecord,
  backupKey,
  backupPrefix,
  currentEncryption,
  type Doors,
  holdParent,
  isRestorePointBackup,
  openArchive,
  readEncryption,
  resolveType,
  startBackup,
} from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { readDestination } from '../../destination/index.ts';
import { after, commit, get, idBounds, iso, type Tenant, type Write, walk } from '../../platform/index.ts';
import { readJob } from '../../project/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { baseRetrySeconds } from '../model/failure-backoff.ts';
import { microsOf } from '../model/micro-time.ts';
import type { Gap, PitrRecord } from '../model/record.ts';

const minuteMicros = 60 * 1_000_000;
/** The source reads an hour back: what begins at a base must begin well before that is over, and before captures count as away. */
export const startMaxMicros = 45 * minuteMicros;
/** One that is there when captures begin may be this old: nobody has to wait for another then. */
const foundMaxMicros = 10 * minuteMicros;

/** Whether it holds everything, is whole, and may be added to: what is sealed under its key is bound to organization and project. */
const isComplete = (tenant: Tenant, { projectId, storageDestination }: PitrRecord, backup: BackupRecord): boolean =>
  backup.status === 'completed' &&
  backup.projectId === projectId &&
  backup.readTime !== null &&
  backup.collections.length === 1 &&
  backup.collections[0] === '*' &&
  backup.excludedCollections.length === 0 &&
  !backup.isPartial &&
  !backup.mayLackCollections &&
  backup.damagedDepth === undefined &&
  backup.arriving === undefined &&
  backup.leaving === undefined &&
  backup.storageDestination.id === storageDestination.id &&
  backup.archive.organization === tenant.organizationId &&
  backup.archive.project === projectId &&
  // What is brought may be anything, and a point in time that was restored is made of captures itself.
  backup.trigger !== 'import' &&
  !isRestorePointBackup(backup);

export const readTimeOf = ({ readTime }: BackupRecord): number => microsOf(readTime ?? '');

/** Whether captures can begin anew with it: after whatever was lost, not tried before, and within what the source still tells. */
export const canBegin = (tenant: Tenant, pitr: PitrRecord, backup: BackupRecord, now: Date): boolean => {
  if (!isComplete(tenant, pitr, backup)) return false;
  const ageMicros = now.getTime() * 1_000 - readTimeOf(backup);
  const isAfterLoss = pitr.gaps.every((gap) => !isOpen(gap) || readTimeOf(backup) > microsOf(gap.from));
  const isTried = pitr.bases.some(({ backupId }) => backupId === backup.id);
  // Batches stand in the order of time: none is captured before the last.
  const isAhead = pitr.capturedTo === null || readTimeOf(backup) >= microsOf(pitr.capturedTo);
  return isAfterLoss && isAhead && !isTried && ageMicros <= (backup.id === pitr.comingBaseId ? startMaxMicros : foundMaxMicros);
};

/** Whether it shows a later moment than the last base, one that is captured. */
export const canFollow = (tenant: Tenant, pitr: PitrRecord, backup: BackupRecord): boolean => {
  const last = pitr.bases.at(-1);
  if (!isComplete(tenant, pitr, backup) || pitr.capturedTo === null) return false;
  return readTimeOf(backup) <= microsOf(pitr.capturedTo) && (!last || readTimeOf(backup) > microsOf(last.readTime));
};

const isOpen = ({ to, collections }: Gap): boolean => to === null && collections === undefined;

/** The newest backup begun within that time which fits. */
export const findBackup = async (
  tenant: Tenant,
  { projectId }: PitrRecord,
  now: Date,
  seconds: number,
  fits: (backup: BackupRecord) => boolean,
): Promise<BackupRecord | undefined> => {
  const { first } = idBounds('backup', after(now, -seconds), now);
  const where = { projectId, status: 'completed' };
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, from: `${backupPrefix}${first}` };
  for await (const backup of walk<BackupRecord>({ ...range, newestFirst: true, where })) if (fits(backup)) return backup;
  return undefined;
};

export const readRequestedBase = async (tenant: Tenant, { comingBaseId }: PitrRecord): Promise<BackupRecord | undefined> =>
  comingBaseId === null ? undefined : await get(backupKey.backup(tenant, comingBaseId));

/** The wait begins when it failed: one that takes an hour is not asked for again at once. */
export const failedBase = ({ baseFailures }: PitrRecord, now: Date): Pick<PitrRecord, 'baseTriedAt' | 'baseFailures'> => ({
  baseTriedAt: iso(now),
  baseFailures: baseFailures + 1,
});

export const mayStartBase = (pitr: PitrRecord, now: Date): boolean => {
  const { comingBaseId, baseTriedAt, isTooLarge } = pitr;
  return (
    comingBaseId === null && !isTooLarge && (baseTriedAt === null || after(new Date(baseTriedAt), baseRetrySeconds(pitr)) <= now)
  );
};

/** Has a base made, incremental where it can be; undefined if the project cannot be read, or it or the organization has enough to do. */
export const startBase = async (
  cycle: CycleContext,
  now: Date,
  note: (changed: Partial<PitrRecord>) => Write,
): Promise<string | undefined> => {
  const { tenant, project, pitr } = cycle;
  // Nothing can be read before it is connected again; and whatever runs now may be a base itself once it has ended.
  if (project.status !== 'connected' || (await readJob(tenant, project.id))) return undefined;
  try {
    await assertBackupCapacity(tenant);
    const [destination, chosen] = await Promise.all([
      readDestination(tenant, pitr.storageDestination.id),
      readEncryption(tenant),
    ]);
    const scope = { collections: ['*'], excludeCollections: [] };
    const resolved = await resolveType({ tenant, project, destination }, { ...scope, type: 'incremental' });
    const { backup, writes } = startBackup(
      { tenant, project, destination, encryption: currentEncryption(chosen) },
      { ...scope, ...resolved, includeAuthUsers: false, trigger: 'pitr-base', createdBy: pitr.createdBy },
      now,
    );
    await commit([note({ comingBaseId: backup.id, baseTriedAt: iso(now) }), ...writes]);
    return backup.id;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'JOB_IN_PROGRESS') return undefined;
    throw error;
  }
};

/** Documents by collection id, of every collection wherever it lies, as the base's own manifest lists them. */
export const collectionsOf = async (tenant: Tenant, backup: BackupRecord, doors: Doors): Promise<ReadonlyMap<string, number>> => {
  const { archive, close } = await openArchive(tenant, backup, undefined, doors);
  close();
  return new Map(archive.manifest.collections.map(({ id, documents }) => [id, documents]));
};

/** Holds a backup as a base: nobody deletes it, and whoever is about to has to look again. */
export const holdBase = (tenant: Tenant, backupId: string): Write => {
  const upon = holdParent(tenant, backupId) as Extract<Write, { update: unknown }>;
  return { ...upon, expression: `${upon.expression} SET pitrBase = :yes`, values: { ...upon.values, ':yes': true } };
};
