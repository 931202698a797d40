/**
 * The overview of an organization. However many jobs it has, a call reads at most 6 MB of them in sequence: the newest backups (4 MB),
 * restores (1 MB) and, if earlier versions made restore tests, their runs (1 MB). It also reads all projects, schedules and locks, and
 * by key their captures and last backups, a hundred at once.
 */
import type * as z from 'zod/mini';
import type { Overview } from '../contract/models/overview.ts';
import { type DestinationRecord, listDestinations } from '../destination/index.ts';
import type { OrganizationRecord } from '../organization/index.ts';
import { pitrKey } from '../pitr/index.ts';
import { getAll, iso, type Tenant } from '../platform/index.ts';
import { type ProjectRecord, walkProjects } from '../project/index.ts';
import { findProven, listRestoreTests } from '../restore-test/index.ts';
import { type ScheduleRecord, schedulesOf } from '../schedule/index.ts';
import { listWebhooks } from '../webhook/index.ts';
import { assessProtection } from './assess-protection.ts';
import { dailyHistory, historyDays } from './daily-history.ts';
import { failedJobs } from './failed-jobs.ts';
import { lastGoodBackups } from './last-good-backups.ts';
import { attentionList, type ReportedIncident } from './list-attention.ts';
import { projectOverview } from './project-overview.ts';
import type { ProjectState } from './project-state.ts';
import { type RecentBackup, readRecentBackups, readRecentRestores } from './recent-jobs.ts';
import { readRunningJobs } from './running-jobs.ts';

/** The newest ones of each list. */
const newest = { limit: 1_000, after: undefined };

/** With all projects, whatever the query. */
export type WholeOverview = Omit<z.input<typeof Overview>, 'matching'>;

export const readOverview = async (
  tenant: Tenant,
  {
    organization,
    incidents,
    now,
  }: {
    readonly organization: OrganizationRecord;
    /** Open ones. */
    readonly incidents: readonly ReportedIncident[];
    readonly now: Date;
  },
): Promise<WholeOverview> => {
  const [projects, { destinations }, { webhooks }, { items: restoreTests }, schedules, recent, restores] = await Promise.all([
    Array.fromAsync(walkProjects(tenant)),
    listDestinations(tenant, newest),
    listWebhooks(tenant, newest),
    listRestoreTests(tenant, {}, newest),
    Array.fromAsync(schedulesOf(tenant)),
    readRecentBackups(tenant, now),
    readRecentRestores(tenant),
  ]);
  const [captures, running, lastGood, proven] = await Promise.all([
    getAll(projects.map(({ id, pitr }) => (pitr.enabled ? pitrKey.pitr(tenant, id) : undefined))),
    readRunningJobs(tenant),
    lastGoodBackups(tenant, { projects, schedules, recent: recent.backups }),
    findProven(tenant, recent.backups),
  ]);
  const schedulesBy = Map.groupBy(schedules, ({ projectId }) => projectId);
  const backupsBy = Map.groupBy(recent.backups, ({ projectId }) => projectId);
  const restoresBy = Map.groupBy(restores, ({ targetProjectId }) => targetProjectId);
  const states = projects.map((project, n): ProjectState => {
    const own = schedulesBy.get(project.id) ?? [];
    const last = lastGood.get(project.id);
    return {
      project,
      backups: backupsBy.get(project.id) ?? [],
      restores: restoresBy.get(project.id) ?? [],
      schedules: own,
      pitr: captures[n],
      destinations: usedDestinations(organization, { project, schedules: own, destinations }),
      lastGood: last,
      proven,
    };
  });
  const assessed = states.map((state) => ({ state, assessment: assessProtection(state, now) }));
  const shown = assessed.map(({ state, assessment }) =>
    projectOverview(state, { assessment, runningJobs: running.get(state.project.id) ?? [], now }),
  );
  const count = (protection: string): number => shown.filter((project) => project.protection === protection).length;
  return {
    at: iso(now),
    totals: {
      projects: projects.length,
      protected: count('protected'),
      atRisk: count('at_risk'),
      unprotected: count('unprotected'),
      unverified: shown.filter(({ protection, verified }) => protection === 'protected' && !verified).length,
      proven: shown.filter(({ lastRestoreTest }) => lastRestoreTest !== null).length,
      backups: organization.backupCount,
      storedBytes: organization.storageUsed,
      runningJobs: shown.reduce((sum, { runningJobs }) => sum + runningJobs.length, 0),
    },
    projects: shown,
    labels: countLabels(projects),
    attention: attentionList(
      assessed.flatMap(({ assessment }) => assessment.concerns),
      { states, destinations, restoreTests, webhooks, incidents, now },
    ),
    failedJobs: failedJobs(recent.backups, { restores, names: new Map(projects.map(({ id, name }) => [id, name])), now }),
    history: {
      complete: recent.isComplete,
      from: historyFrom(recent, now),
      days: [...dailyHistory(recent.backups, { restores, storedBytes: organization.storageUsed, now })],
    },
  };
};

const labelsMax = 200;

/** The most frequent first. */
const countLabels = (projects: readonly ProjectRecord[]): WholeOverview['labels'] => {
  const all = projects.flatMap(({ labels = {} }) => Object.entries(labels).map(([key, value]) => ({ key, value })));
  return [...Map.groupBy(all, ({ key, value }) => `${key}=${value}`)]
    .sort(([a, { length: aCount }], [b, { length: bCount }]) => bCount - aCount || (a < b ? -1 : 1))
    .slice(0, labelsMax)
    .flatMap(([, same]) => (same[0] ? [{ ...same[0], projects: same.length }] : []));
};

/** Destinations that new backups of the project go to. */
const usedDestinations = (
  organization: OrganizationRecord,
  {
    project: { settings },
    schedules,
    destinations,
  }: {
    readonly project: ProjectRecord;
    readonly schedules: readonly ScheduleRecord[];
    readonly destinations: readonly DestinationRecord[];
  },
): readonly DestinationRecord[] => {
  const standard = settings.defaultStorageId ?? organization.defaultStorageId;
  const named = schedules.filter(({ enabled }) => enabled).map(({ storageDestinationId }) => storageDestinationId ?? standard);
  const used = new Set(named.length > 0 ? named : [standard]);
  return destinations.filter(({ id }) => used.has(id));
};

const historyFrom = ({ backups, isComplete }: { backups: readonly RecentBackup[]; isComplete: boolean }, now: Date): string => {
  const start = iso(new Date(now.getTime() - historyDays * 24 * 3_600_000));
  const oldest = backups.at(-1)?.createdAt;
  return !isComplete && oldest !== undefined && oldest > start ? oldest : start;
};
