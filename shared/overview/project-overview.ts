/** A project as the overview shows it. */
import type * as z from 'zod/mini';
import type { GoodBackup, ProjectOverview, RunningJob } from '../contract/models/overview.ts';
import { neverEnabled, pitrData } from '../pitr/index.ts';
import type { ProtectionAssessment } from './assess-protection.ts';
import type { ProjectState } from './project-state.ts';
import type { RecentBackup } from './recent-jobs.ts';

type Shown = z.input<typeof ProjectOverview>;

export const projectOverview = (
  state: ProjectState,
  {
    assessment: { protection, concerns, expectedSince },
    runningJobs,
    now,
  }: {
    readonly assessment: ProtectionAssessment;
    readonly runningJobs: readonly z.input<typeof RunningJob>[];
    readonly now: Date;
  },
): Shown => {
  const { project, schedules, pitr } = state;
  const { id, name, sourceProjectId, databaseId, labels = {}, status } = project;
  const verification = lastVerification(state);
  const restoreTest = lastRestoreTest(state);
  const enabled = schedules.filter((schedule) => schedule.enabled);
  const captured = pitr ? pitrData(pitr, now) : neverEnabled(id);
  return {
    id,
    name,
    sourceProjectId,
    databaseId,
    labels,
    status,
    protection,
    verified: verification?.status === 'passed' || restoreTest !== null,
    reasons: concerns.map(({ kind, message }) => ({ code: kind, message })),
    lastGoodBackup: state.lastGood ? goodBackup(state.lastGood, now) : null,
    expectedSince,
    lastVerification: verification,
    lastRestoreTest: restoreTest,
    lastRestore: lastRestore(state),
    pitr: {
      status: captured.status,
      precision: captured.precision,
      earliestRestorableAt: captured.earliestRestorableAt,
      latestRestorableAt: captured.latestRestorableAt,
      problem: captured.problem,
    },
    nextRun: nextRunOf(enabled),
    schedules: {
      enabled: enabled.length,
      failing: enabled.flatMap((schedule) =>
        schedule.failing ? [{ id: schedule.id, name: schedule.name, ...schedule.failing }] : [],
      ),
    },
    runningJobs: [...runningJobs],
  };
};

/** The age is that of the data, not of the job. */
const goodBackup = (backup: RecentBackup, now: Date): z.input<typeof GoodBackup> => {
  const completedAt = backup.completedAt ?? backup.createdAt;
  return {
    id: backup.id,
    type: backup.type,
    trigger: backup.trigger,
    completedAt,
    readTime: backup.readTime,
    ageSeconds: Math.max(0, Math.round((now.getTime() - Date.parse(backup.readTime ?? completedAt)) / 1_000)),
    size: backup.size,
    documents: backup.documentCount,
    storageDestinationId: backup.storageDestination.id,
    verifiedAt: backup.verifiedAt,
  };
};

/** The project names its last one; the backups that were read know those of records of earlier versions. */
const lastVerification = ({ project, backups }: ProjectState): Shown['lastVerification'] => {
  const ended = backups.flatMap(({ id, verification }) =>
    verification && verification.status !== 'running'
      ? [{ backupId: id, at: verification.checkedAt, status: verification.status, depth: verification.depth }]
      : [],
  );
  return newest([...(project.lastVerification ? [project.lastVerification] : []), ...ended]);
};

const lastRestoreTest = ({ project, backups, proven }: ProjectState): Shown['lastRestoreTest'] => {
  const tests = backups.flatMap(({ id, restoreTestedAt, restoreTestedBy = null }) =>
    restoreTestedAt === null || !proven.has(id)
      ? []
      : [{ backupId: id, runId: restoreTestedBy, at: restoreTestedAt, documents: null, documentsWritten: null }],
  );
  return newest([...(project.lastRestoreTest ? [project.lastRestoreTest] : []), ...tests]);
};

const newest = <T extends { readonly at: string }>(all: readonly T[]): T | null =>
  all.reduce<T | null>((last, one) => (last && last.at >= one.at ? last : one), null);

const lastRestore = ({ restores }: ProjectState): Shown['lastRestore'] => {
  const last = restores.find(({ dryRun }) => !dryRun);
  if (!last) return null;
  const { id, status, createdAt, completedAt } = last;
  return { restoreJobId: id, status, createdAt, completedAt };
};

const nextRunOf = (schedules: ProjectState['schedules']): Shown['nextRun'] =>
  schedules
    .flatMap(({ id, nextRunAt }) => (nextRunAt === null ? [] : [{ at: nextRunAt, scheduleId: id }]))
    .sort((a, b) => (a.at < b.at ? -1 : 1))[0] ?? null;
