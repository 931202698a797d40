import type { HealthRecord } from '../../delivery/index.ts';
import { type DestinationRecord, destinationKey } from '../../destination/index.ts';
import { type ApiKeyRecord, apiKeysOf } from '../../organization/index.ts';
import { findLastGood } from '../../overview/index.ts';
import { type PitrRecord, pitrKey } from '../../pitr/index.ts';
import { getAll, type Tenant } from '../../platform/index.ts';
import { listProjects, type ProjectRecord, projectKey } from '../../project/index.ts';
import { type RestoreTestRecord, restoreTestsOf } from '../../restore-test/index.ts';
import { type ScheduleRecord, schedulesOf } from '../../schedule/index.ts';
import { type BackupRecord, backupKey } from '../../stored-backup/index.ts';
import { type WebhookRecord, webhookKey } from '../../webhook/index.ts';
import { backupsOfLocks } from '../incident/lock-problem-end.ts';
import { alertsOf } from '../model/get-alert.ts';
import { openIncidents } from '../model/list-incidents.ts';
import type { AlertRecord, IncidentRecord } from '../model/record.ts';

/** What a sweep knows of an organization. */
export interface WatchedState {
  readonly alerts: readonly AlertRecord[];
  readonly incidents: readonly IncidentRecord[];
  readonly projects: readonly ProjectRecord[];
  readonly schedules: readonly ScheduleRecord[];
  readonly apiKeys: readonly ApiKeyRecord[];
  /** Point-in-time recovery by project. */
  readonly captures: ReadonlyMap<string, PitrRecord>;
  readonly lastGood: Awaited<ReturnType<typeof findLastGood>>;
  /** Projects whose lock names a job. */
  readonly busyProjects: ReadonlySet<string>;
  /** Subjects of open incidents that are not read otherwise, and backups that such an incident names, by id. */
  readonly destinations: ReadonlyMap<string, DestinationRecord>;
  readonly webhooks: ReadonlyMap<string, WebhookRecord>;
  readonly webhookHealth: ReadonlyMap<string, HealthRecord>;
  readonly backups: ReadonlyMap<string, BackupRecord>;
  /** Read only for open incidents of restore tests. */
  readonly restoreTests: readonly RestoreTestRecord[];
}

/** All projects: one that is missing here would count as removed, which ends its incidents. */
const projectsOf = async (tenant: Tenant): Promise<readonly ProjectRecord[]> => {
  const found: ProjectRecord[] = [];
  let after: string | undefined;
  do {
    const { projects, next } = await listProjects(tenant, { limit: pageSize, after });
    found.push(...projects);
    after = next;
  } while (after !== undefined);
  return found;
};
const pageSize = 1_000;

export const loadWatchedState = async (tenant: Tenant, now: Date): Promise<WatchedState> => {
  const [alerts, incidents, projects, schedules, apiKeys] = await Promise.all([
    alertsOf(tenant),
    openIncidents(tenant),
    projectsOf(tenant),
    Array.fromAsync(schedulesOf(tenant)),
    Array.fromAsync(apiKeysOf(tenant)),
  ]);
  const subjects = (type: IncidentRecord['subject']['type']): readonly string[] =>
    incidents.filter(({ subject }) => subject.type === type).map(({ subject }) => subject.id);
  const [ids, webhookIds] = [subjects('storage_destination'), subjects('webhook')];
  const hasFailedTests = incidents.some(({ kind }) => kind === 'restore_test_failed');
  const [captures, locks, lastGood, destinations, webhooks, health, restoreTests] = await Promise.all([
    getAll(projects.map(({ id, pitr }) => (pitr.enabled ? pitrKey.pitr(tenant, id) : undefined))),
    getAll(projects.map(({ id }) => projectKey.job(tenant, id))),
    findLastGood(tenant, { projects, schedules, now }),
    getAll(ids.map((id) => destinationKey(tenant, id))),
    getAll(webhookIds.map((id) => webhookKey.webhook(tenant, id))),
    getAll(webhookIds.map((id) => webhookKey.health(tenant, id))),
    hasFailedTests ? Array.fromAsync(restoreTestsOf(tenant)) : [],
  ]);
  const ofLocks = incidents.flatMap((incident) =>
    incident.locks ? [...backupsOfLocks(incident.locks), lastGood.get(incident.subject.id)?.id ?? ''] : [],
  );
  const backupIds = new Set([...subjects('backup'), ...ofLocks].filter((id) => id !== ''));
  const backups = await getAll([...backupIds].map((id) => backupKey.backup(tenant, id)));
  return {
    alerts,
    incidents,
    projects,
    schedules,
    apiKeys,
    captures: new Map(projects.flatMap(({ id }, n) => (captures[n] ? [[id, captures[n]]] : []))),
    lastGood,
    busyProjects: new Set(projects.filter((_, n) => locks[n] !== undefined).map(({ id }) => id)),
    destinations: byId(destinations),
    webhooks: byId(webhooks),
    webhookHealth: new Map(webhookIds.flatMap((id, n) => (health[n] ? [[id, health[n]]] : []))),
    backups: byId(backups),
    restoreTests,
  };
};

const byId = <T extends { readonly id: string }>(found: readonly (T | undefined)[]): ReadonlyMap<string, T> =>
  new Map(found.flatMap((one) => (one ? [[one.id, one]] : [])));
