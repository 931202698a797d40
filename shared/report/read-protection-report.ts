/**
 * What an auditor asks of a period. Jobs, tests and audit entries are read completely or not at all (up to 400 MB of each, of which the
 * table sends the named attributes only: 2,000 nightly projects have about 200 MB of backups in a month); lists have at most 500 entries and
 * say how many they omit. Schedules and storage are those of now.
 */
import { type AuditRecord, auditKeptSince, auditPartition, entryPrefix } from '../audit/index.ts';
import type { ProtectionReport } from '../contract/models/protection-report.ts';
import { type DestinationRecord, listDestinations } from '../destination/index.ts';
import { epochSeconds, getAll, iso, type Key, type Tenant } from '../platform/index.ts';
import { type ProjectRecord, walkProjects } from '../project/index.ts';
import { type RestoreRecord, restorePrefix } from '../restore/index.ts';
import { isInPeriod, type Period, readPeriod, readReport } from '../restore-test/index.ts';
import { type ScheduleRecord, schedulesOf } from '../schedule/index.ts';
import { type BackupRecord, backupPrefix, creatorData } from '../stored-backup/index.ts';
import { type Section, sectionOf } from './section-of.ts';

/** Of up to 1 MB each. */
const readsMax = 400;
const listedMax = 500;

interface ReportRequest {
  readonly organization: { readonly id: string; readonly name: string };
  readonly generatedBy: ProtectionReport['generatedBy'];
  readonly period: Period;
  readonly now: Date;
}

export const readProtectionReport = async (tenant: Tenant, request: ReportRequest): Promise<ProtectionReport> => {
  const { period, now } = request;
  const pk = `ORG#${tenant.organizationId}`;
  const [tests, projects, schedules, { destinations }, backups, restores, entries] = await Promise.all([
    readReport(tenant, request),
    Array.fromAsync(walkProjects(tenant)),
    Array.fromAsync(schedulesOf(tenant)),
    listDestinations(tenant, { limit: 1_000, after: undefined }),
    readPeriod<Backup>({ pk, prefix: backupPrefix, kind: 'backup', period, only: backupAttributes, readsMax, what: 'backups' }),
    readPeriod<Restore>({
      pk,
      prefix: restorePrefix,
      kind: 'restore',
      period,
      only: restoreAttributes,
      readsMax,
      what: 'restores',
    }),
    readPeriod<Entry>({
      pk: auditPartition(tenant.organizationId),
      prefix: entryPrefix,
      kind: 'audit',
      period,
      only: entryAttributes,
      readsMax,
      what: 'audit entries',
    }),
  ]);
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  const real = restores.filter(({ dryRun }) => !dryRun);
  const kept = Map.groupBy(
    entries.filter(({ ttl }) => ttl > epochSeconds(now)),
    sectionOf,
  );
  const entriesOf = (section: Section) => listEntries(tenant, kept.get(section) ?? []);
  const [erasures, removals, changes] = await Promise.all([entriesOf('erasures'), entriesOf('removals'), entriesOf('changes')]);
  return {
    organization: tests.organization,
    from: tests.from,
    to: tests.to,
    generatedAt: tests.generatedAt,
    generatedBy: tests.generatedBy,
    auditLogFrom: iso(auditKeptSince(now)),
    backups: {
      ...backupCounts(backups),
      projects: byProject(projects, backups, period),
      failures: listed(failuresOf(backups, names)),
    },
    restores: { ...countEnds(real), ...listed(real.map(reportedRestore)) },
    restoreTests: { summary: tests.summary, projects: tests.projects },
    erasures,
    removals,
    changes,
    retention: {
      schedules: listed(schedules.map((schedule) => reportedSchedule(schedule, names))),
      storage: listed(destinations.map(reportedStorage)),
    },
  };
};

const listed = <T>(items: readonly T[]): { items: T[]; omitted: number } => ({
  items: items.slice(0, listedMax),
  omitted: Math.max(0, items.length - listedMax),
});

/** What decides where an entry is listed. The listed ones are read whole. */
const entryAttributes = ['sk', 'id', 'action', 'ttl'] as const;
type Entry = Pick<AuditRecord, Exclude<(typeof entryAttributes)[number], 'sk'>>;

/** An entry that has expired between the two reads is left out. */
const listEntries = async (tenant: Tenant, entries: readonly Entry[]) => {
  const { items, omitted } = listed(entries);
  const pk = auditPartition(tenant.organizationId);
  const found = await getAll(items.map(({ id }): Key<AuditRecord> => ({ pk, sk: `${entryPrefix}${id}` })));
  return { items: found.flatMap((entry) => (entry ? [reportedChange(entry)] : [])), omitted };
};

const backupAttributes = [
  'sk',
  'id',
  'projectId',
  'projectName',
  'status',
  'size',
  'createdAt',
  'completedAt',
  'error',
  'lockedUntil',
  'immutableUntil',
  'lockProblem',
] as const;
type Backup = Pick<BackupRecord, Exclude<(typeof backupAttributes)[number], 'sk'>>;

const restoreAttributes = [
  'sk',
  'id',
  'status',
  'dryRun',
  'mergeMode',
  'backupId',
  'projectName',
  'targetProjectId',
  'targetProjectName',
  'written',
  'deleted',
  'undoOf',
  'createdBy',
  'createdAt',
  'error',
] as const;
type Restore = Pick<RestoreRecord, Exclude<(typeof restoreAttributes)[number], 'sk'>>;

interface Ended {
  readonly status: string;
}

/** A backup that was deleted or has expired since was completed. */
const isCompleted = ({ status }: Ended): boolean => status === 'completed' || status === 'deleted' || status === 'expired';

const countEnds = (jobs: readonly Ended[]) => ({
  completed: jobs.filter(isCompleted).length,
  failed: jobs.filter(({ status }) => status === 'failed').length,
  cancelled: jobs.filter(({ status }) => status === 'cancelled').length,
  unfinished: jobs.filter(({ status }) => status === 'pending' || status === 'running').length,
});

const backupCounts = (backups: readonly Backup[]) => ({
  ...countEnds(backups),
  addedBytes: backups.filter(isCompleted).reduce((sum, { size }) => sum + size, 0),
});

/** Every project that was connected by then, also one without a backup, and others that had one. By name. */
const byProject = (
  projects: readonly ProjectRecord[],
  backups: readonly Backup[],
  period: Period,
): ProtectionReport['backups']['projects'] => {
  const groups = Map.groupBy(backups, ({ projectId }) => projectId);
  const names = new Map([
    ...[...groups].map(([id, [newest]]) => [id, newest?.projectName ?? id] as const),
    ...projects
      .filter((project) => isInPeriod(project, period) || groups.has(project.id))
      .map(({ id, name }) => [id, name] as const),
  ]);
  return [...names]
    .map(([projectId, projectName]) => {
      const own = groups.get(projectId) ?? [];
      const completed = own.filter(isCompleted).flatMap(({ completedAt }) => completedAt ?? []);
      return { projectId, projectName, ...backupCounts(own), lastCompletedAt: completed.sort().at(-1) ?? null, ...locksOf(own) };
    })
    .sort((a, b) => a.projectName.localeCompare(b.projectName, 'en') || (a.projectId < b.projectId ? -1 : 1));
};

/** What the locks of the period's backups promise: since when and how long is what the records of the backups themselves say. */
const locksOf = (backups: readonly Backup[]) => {
  const locked = backups.filter((backup) => isCompleted(backup) && backup.lockedUntil !== null);
  const ends = locked.flatMap(({ lockedUntil, immutableUntil = lockedUntil }) => immutableUntil ?? []);
  return {
    locked: locked.length,
    lockIncomplete: locked.filter(({ lockProblem }) => lockProblem !== undefined).length,
    lockedUntil: ends.sort().at(-1) ?? null,
  };
};

const failuresOf = (backups: readonly Backup[], names: ReadonlyMap<string, string>) =>
  backups
    .filter(({ status }) => status === 'failed')
    .map(({ id, projectId, projectName, completedAt, createdAt, error }) => ({
      backupId: id,
      projectId,
      projectName: names.get(projectId) ?? projectName ?? projectId,
      at: completedAt ?? createdAt,
      code: error?.code ?? null,
      message: error?.message ?? null,
    }));

const reportedRestore = (restore: Restore): ProtectionReport['restores']['items'][number] => ({
  restoreJobId: restore.id,
  at: restore.createdAt,
  status: restore.status,
  mergeMode: restore.mergeMode,
  backupId: restore.backupId,
  projectName: restore.projectName,
  targetProjectId: restore.targetProjectId,
  targetProjectName: restore.targetProjectName,
  written: restore.written,
  deleted: restore.deleted,
  undoOf: restore.undoOf,
  by: creatorData(restore.createdBy),
  error: restore.error?.message ?? null,
});

const reportedChange = ({ id, timestamp, action, actor, resource, details }: AuditRecord) => ({
  id,
  at: timestamp,
  action,
  by: actor,
  resource,
  details,
});

const reportedSchedule = (schedule: ScheduleRecord, names: ReadonlyMap<string, string>) => ({
  scheduleId: schedule.id,
  name: schedule.name,
  projectId: schedule.projectId,
  projectName: names.get(schedule.projectId) ?? schedule.projectId,
  cron: schedule.cron,
  timezone: schedule.timezone,
  enabled: schedule.enabled,
  retention: retentionWords(schedule),
});

const retentionUnits = ['daily', 'weekly', 'monthly', 'yearly'] as const;

const retentionWords = ({ retention, retentionPolicy }: Pick<ScheduleRecord, 'retention' | 'retentionPolicy'>): string => {
  if (retentionPolicy) {
    const kept = retentionUnits.filter((unit) => retentionPolicy[unit] > 0);
    return kept.map((unit) => `${retentionPolicy[unit]} ${unit}`).join(', ');
  }
  return typeof retention === 'number' ? `${retention} days` : 'without limit';
};

const reportedStorage = (destination: DestinationRecord) => ({
  storageDestinationId: destination.id,
  name: destination.name,
  type: destination.type,
  bucket: destination.bucket,
  status: destination.status,
  immutable: destination.immutable,
  objectLock: destination.objectLock,
  encryption: destination.sse ?? null,
  backups: destination.backupCount,
});
