/** The overview of an organization with a table in memory. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { concerns, Overview } from '../../../shared/contract/models/overview.ts';
import { type OrganizationRecord, organizationKey } from '../../../shared/organization/index.ts';
import { readOverview } from '../../../shared/overview/index.ts';
import { pitrKey } from '../../../shared/pitr/index.ts';
import { newId, newIdOf, type Tenant, unsafeTenant } from '../../../shared/platform/index.ts';
import { projectKey } from '../../../shared/project/index.ts';
import { restoreKey } from '../../../shared/restore/index.ts';
import { restoreTestKey } from '../../../shared/restore-test/index.ts';
import { scheduleKey } from '../../../shared/schedule/index.ts';
import { type BackupRecord, backupKey } from '../../../shared/stored-backup/index.ts';
import { webhookKey } from '../../../shared/webhook/model/record.ts';
import { answerInProcess } from '../../harness/aws/in-process.ts';
import { backupOf } from '../../harness/builders/sample-backup.ts';
import { strictCopy } from '../../harness/builders/strict-copy.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
let queries = 0;
let calls = 0;
answerInProcess({
  ...table.script,
  BatchGetItem: (input) => {
    calls += 1;
    return table.script.BatchGetItem!(input);
  },
  Query: (input) => {
    const values = input.ExpressionAttributeValues as Record<string, { S: string }>;
    calls += 1;
    if (values[':from']?.S.startsWith('BACKUP#')) queries += 1;
    return table.script.Query!(input);
  },
});

const now = new Date('2026-03-10T12:00:00.000Z');
const ago = (hours: number): string => new Date(now.getTime() - hours * 3_600_000).toISOString();
const passed = { status: 'passed' as const, depth: 'full' as const, checkedAt: ago(2), objects: 3, findings: [] };
let tenant: Tenant;
let organization: OrganizationRecord;
let storageId: string;

beforeEach(() => {
  table.items.clear();
  table.pageMax = 1_000;
  queries = 0;
  tenant = unsafeTenant(newId('organization'), 'created');
  storageId = newId('storageDestination');
  organization = {
    ...organizationKey.organization(tenant),
    id: tenant.organizationId,
    name: 'Acme',
    defaultStorageId: storageId,
    projectCount: 1,
    backupCount: 0,
    storageUsed: 0,
  } as unknown as OrganizationRecord;
  putStorage();
});

const putStorage = (more: object = {}): void =>
  table.put({
    ...organizationKey.storageDestination(tenant, storageId),
    id: storageId,
    name: 'Bucket',
    type: 's3',
    status: 'connected',
    masked: {},
    sealed: new Uint8Array(1),
    lastTestedAt: ago(100),
    ...more,
  });

const putProject = (more: object = {}): string => {
  const id = newIdOf('project', new Date(ago(1_000)));
  table.put({
    ...projectKey.project(tenant, id),
    id,
    name: 'Shop',
    sourceProjectId: 'shop-1',
    databaseId: '(default)',
    status: 'connected',
    settings: { backupTimeoutMinutes: 30, defaultStorageId: null },
    pitr: { enabled: false },
    lastBackupAt: null,
    createdAt: ago(1_000),
    ...more,
  });
  return id;
};

const putBackup = (projectId: string, hoursAgo: number, more: Partial<BackupRecord> = {}): string => {
  const id = newIdOf('backup', new Date(ago(hoursAgo)));
  const { pk, sk } = backupKey.backup(tenant, id);
  const times = { createdAt: ago(hoursAgo), completedAt: ago(hoursAgo - 0.1), readTime: ago(hoursAgo) };
  const storageDestination = { id: storageId, name: 'Bucket', type: 's3' } as const;
  table.put({ ...backupOf({ id, projectId, storageDestination, size: 100, documentCount: 10, ...times, ...more }), pk, sk });
  return id;
};

const putSchedule = (projectId: string, more: object = {}): string => {
  const id = newId('schedule', now);
  table.put({
    ...scheduleKey.schedule(tenant, id),
    id,
    projectId,
    name: 'Nightly',
    cron: '0 3 * * *',
    timezone: 'UTC',
    enabled: true,
    storageDestinationId: null,
    nextRunAt: '2026-03-11T03:00:00.000Z',
    lastBackupId: null,
    failing: null,
    updatedAt: ago(900),
    ...more,
  });
  return id;
};

/** Checks that the response has the shape of the contract. */
const read = async () => {
  const data = await readOverview(tenant, { organization, incidents: [], now });
  const answer = { ...data, matching: data.projects.length };
  deepEqual(strictCopy(Overview).parse(answer), answer);
  return data;
};
const codesOf = async () => (await read()).projects[0]?.reasons.map(({ code }) => code);

test('overview: an organization without projects needs nothing', async () => {
  const { projects, attention, failedJobs, totals, history } = await read();
  deepEqual({ projects, attention, failedJobs }, { projects: [], attention: [], failedJobs: [] });
  equal(totals.protected, 0);
  equal(history.days.length, 30);
  equal(history.days.at(-1)?.date, '2026-03-10');
});

test('overview: a project whose schedule has made its last backup is protected', async () => {
  const projectId = putProject();
  const scheduleId = putSchedule(projectId);
  const backupId = putBackup(projectId, 8, { scheduleId, trigger: 'scheduled', verification: passed, verifiedAt: ago(2) });
  const { projects, attention, totals } = await read();
  const [project] = projects;
  equal(project?.protection, 'protected');
  deepEqual(project.reasons, []);
  deepEqual(attention, []);
  equal(project.lastGoodBackup?.id, backupId);
  equal(project.lastGoodBackup.ageSeconds, 8 * 3_600);
  equal(project.expectedSince, '2026-03-10T03:00:00.000Z');
  deepEqual(project.nextRun, { at: '2026-03-11T03:00:00.000Z', scheduleId });
  deepEqual(project.lastVerification, { backupId, at: ago(2), status: 'passed', depth: 'full' });
  deepEqual({ protected: totals.protected, atRisk: totals.atRisk }, { protected: 1, atRisk: 0 });
});

test('overview: a project without a good backup is unprotected, whatever else it has', async () => {
  const projectId = putProject();
  putSchedule(projectId, { updatedAt: ago(1) });
  putBackup(projectId, 5, { trigger: 'safety' });
  putBackup(projectId, 6, { isPartial: true });
  putBackup(projectId, 7, { trigger: 'import', isForeign: true });
  putBackup(projectId, 7, { trigger: 'pitr-base', retentionDays: 1 });
  putBackup(projectId, 8, { status: 'deleted', ttl: now.getTime() / 1_000 + 1_000 });
  const { projects, attention } = await read();
  equal(projects[0]?.protection, 'unprotected');
  deepEqual(
    attention.map(({ severity, kind, projectId: about }) => ({ severity, kind, about })),
    [{ severity: 'critical', kind: 'NO_BACKUP', about: projectId }],
  );
});

test('overview: a backup that is older than the schedule demands is overdue, but not before a new schedule was due', async () => {
  const projectId = putProject();
  putBackup(projectId, 30);
  const scheduleId = putSchedule(projectId);
  deepEqual(await codesOf(), ['BACKUP_OVERDUE']);
  const record = table.get(scheduleKey.schedule(tenant, scheduleId))!;
  table.put({ ...record, updatedAt: ago(2) });
  deepEqual(await codesOf(), []);
});

test('overview: every problem of a project puts it at risk', async () => {
  const cases: Record<string, (projectId: string) => void> = {
    PROJECT_UNAUTHORIZED: (id) => table.put({ ...table.get(projectKey.project(tenant, id))!, status: 'unauthorized' }),
    NOT_SCHEDULED: () => {
      for (const { pk, sk } of table.find(`ORG#${tenant.organizationId}`, 'SCHEDULE#')) table.items.delete(`${pk}\n${sk}`);
    },
    SCHEDULE_FAILING: (id) =>
      putSchedule(id, { failing: { since: ago(5), reason: 'failed', code: 'SOURCE_AUTH_ERROR', message: 'denied' } }),
    COLLECTIONS_MISSING: (id) =>
      putSchedule(id, {
        warning: { since: ago(5), code: 'COLLECTION_NOT_FOUND', message: 'no', unknownCollections: ['x'], backupId: 'b' },
      }),
    LAST_BACKUP_FAILED: (id) =>
      putBackup(id, 1, { status: 'failed', error: { code: 'BACKUP_TIMEOUT', message: 'too slow', details: {} } }),
    BACKUP_DAMAGED: (id) => putBackup(id, 1, { damagedDepth: 'full' }),
    UNUSUAL_CHANGES: (id) => putBackup(id, 1, { anomalyState: 'open' }),
    STORAGE_ERROR: () => putStorage({ status: 'error', lastError: { at: ago(1), step: 'write', message: 'denied' } }),
  };
  for (const [code, cause] of Object.entries(cases)) {
    table.items.clear();
    putStorage();
    const projectId = putProject();
    putSchedule(projectId);
    putBackup(projectId, 8);
    deepEqual(await codesOf(), [], code);
    cause(projectId);
    deepEqual(await codesOf(), [code]);
    const { projects, attention } = await read();
    equal(projects[0]?.protection, 'at_risk');
    deepEqual(
      attention.map(({ kind }) => kind),
      [code],
    );
  }
});

test('overview: a cancelled backup and a failed one with a later success are no concern', async () => {
  const projectId = putProject();
  putSchedule(projectId);
  const failed = { status: 'failed', error: { code: 'CANCELLED', message: 'cancelled', details: {} } } as const;
  putBackup(projectId, 1, { ...failed, status: 'cancelled' });
  putBackup(projectId, 8);
  putBackup(projectId, 9, { ...failed, error: { ...failed.error, code: 'BACKUP_TIMEOUT' } });
  const { projects, failedJobs } = await read();
  equal(projects[0]?.protection, 'protected');
  deepEqual(
    failedJobs.map(({ kind, projectName, error }) => ({ kind, projectName, code: error?.code })),
    [{ kind: 'backup', projectName: 'Shop', code: 'BACKUP_TIMEOUT' }],
  );
});

test('overview: point-in-time recovery counts as automatic, and its problem is reported', async () => {
  const projectId = putProject({ pitr: { enabled: true, retentionDays: 7, captureIntervalSeconds: 60 } });
  putBackup(projectId, 8, { trigger: 'pitr-base' });
  const pitr = {
    ...pitrKey.pitr(tenant, projectId),
    projectId,
    status: 'active',
    retentionDays: 7,
    captureIntervalSeconds: 60,
    precision: 'second',
    storageDestination: { id: storageId, name: 'Bucket', type: 's3' },
    enabledAt: ago(8),
    bases: [{ backupId: 'bkp', readTime: ago(8), since: ago(8) }],
    comingBaseId: null,
    baseTriedAt: null,
    baseFailures: 0,
    gaps: [],
    capturedTo: ago(0.001),
    checkedAt: ago(0.001),
    keptFrom: null,
    listedAt: null,
    turn: 1,
    nextTurnAt: now.toISOString(),
    lastCapture: { at: ago(0.001), changes: 1, reads: 1 },
    changesCaptured: 1,
    reads: 1,
  };
  table.put(pitr);
  const { projects } = await read();
  equal(projects[0]?.pitr.status, 'active');
  ok(projects[0].pitr.earliestRestorableAt);
  deepEqual(projects[0].reasons, []);
  table.put({ ...pitr, nextTurnAt: ago(1) });
  deepEqual(await codesOf(), ['PITR_PROBLEM']);
});

test('overview: running jobs come from the lock of the project', async () => {
  const projectId = putProject();
  const backupId = putBackup(projectId, 1, {
    status: 'running',
    phase: 'copying',
    documents: 40,
    totalDocuments: 100,
    startedAt: ago(0.9),
    completedAt: null,
  });
  table.put({ ...projectKey.job(tenant, projectId), jobId: backupId, kind: 'backup', since: ago(1) });
  const { projects, totals } = await read();
  deepEqual(projects[0]?.runningJobs, [
    {
      kind: 'backup',
      id: backupId,
      status: 'running',
      phase: 'copying',
      percent: 40,
      waitingFor: null,
      createdAt: ago(1),
      startedAt: ago(0.9),
    },
  ]);
  equal(totals.runningJobs, 1);
});

test('overview: failed restores, disabled and failing webhooks need attention', async () => {
  const projectId = putProject();
  putSchedule(projectId);
  putBackup(projectId, 8);
  const restoreId = newIdOf('restore', new Date(ago(3)));
  table.put({
    ...restoreKey.restore(tenant, restoreId),
    id: restoreId,
    projectId,
    targetProjectId: projectId,
    targetProjectName: 'Shop',
    status: 'failed',
    dryRun: false,
    createdAt: ago(3),
    completedAt: ago(2),
    reads: 0,
    written: 0,
    deleted: 0,
    error: { code: 'TARGET_PERMISSION_DENIED', message: 'denied', details: {} },
  });
  const putWebhook = (more: object): string => {
    const id = newId('webhook');
    const lists = { events: ['*'], filters: { projects: [], trigger: [], excludeTrigger: [] }, shownHeaders: {} };
    table.put({ ...webhookKey.webhook(tenant, id), id, name: id, url: 'https://x', enabled: true, ...lists, ...more });
    return id;
  };
  putWebhook({ enabled: false });
  putWebhook({ enabled: false, disabled: { reason: 'gone', at: ago(4), failingSince: ago(5) } });
  const failing = putWebhook({});
  table.put({ ...webhookKey.health(tenant, failing), failingSince: ago(6), failureCount: 4 });
  const { attention, projects } = await read();
  deepEqual(
    attention.map(({ kind, since }) => ({ kind, since })),
    [
      { kind: 'RESTORE_FAILED', since: ago(2) },
      { kind: 'WEBHOOK_DISABLED', since: ago(4) },
      { kind: 'WEBHOOK_FAILING', since: ago(6) },
    ],
  );
  match(attention[2]!.message, /^The last 4 attempts/);
  equal(projects[0]?.protection, 'protected');
  equal(projects[0].lastRestore?.status, 'failed');
});

test('overview: a restore test that failed or was missed needs attention until it passes', async () => {
  const projectId = putProject();
  putSchedule(projectId);
  putBackup(projectId, 8);
  const putTest = (name: string, more: object): string => {
    const id = newId('restoreTest', now);
    table.put({ ...restoreTestKey.plan(tenant, id), id, name, projectId, enabled: true, lastOutcome: null, ...more });
    return id;
  };
  const outcome = (status: string, error: object | null = null) => ({
    status,
    at: ago(3),
    runId: newId('restoreTestRun'),
    error,
  });
  putTest('New', {});
  putTest('Good', { lastOutcome: outcome('passed') });
  putTest('Cancelled', { lastOutcome: outcome('cancelled') });
  putTest('Paused', { enabled: false, lastOutcome: outcome('failed') });
  const failed = putTest('Weekly', {
    lastOutcome: outcome('failed', { code: 'RESTORE_TEST_FAILED', message: '2 documents differ' }),
  });
  const missed = putTest('All', { projectId: null, lastOutcome: outcome('missed') });
  const { attention, projects } = await read();
  const about = { severity: 'warning', kind: 'RESTORE_TEST_FAILED', since: ago(3), incidentId: null };
  deepEqual(
    attention.toSorted((a, b) => (a.resource.id < b.resource.id ? -1 : 1)),
    [
      {
        ...about,
        message: 'Restore test Weekly failed: 2 documents differ',
        projectId,
        resource: { type: 'restore_test', id: failed },
      },
      { ...about, message: 'Restore test All was missed', projectId: null, resource: { type: 'restore_test', id: missed } },
    ].toSorted((a, b) => (a.resource.id < b.resource.id ? -1 : 1)),
  );
  equal(projects[0]?.protection, 'protected');
});

test('overview: attention is sorted by severity, then by kind', async () => {
  const first = putProject();
  putBackup(first, 30);
  putSchedule(first);
  putProject({ name: 'Blog' });
  const kinds = (await read()).attention.map(({ severity, kind }) => `${severity} ${kind}`);
  deepEqual(kinds, ['critical NO_BACKUP', 'critical BACKUP_OVERDUE', 'warning NOT_SCHEDULED']);
  equal(new Set(concerns).size, concerns.length);
});

test('overview: however many backups there are, four reads are made, and older last backups are found by their id', async () => {
  table.pageMax = 5;
  const [busy, quiet, weekly] = [putProject(), putProject({ name: 'Blog' }), putProject({ name: 'Wiki' })];
  const old = putBackup(quiet, 400);
  table.put({ ...table.get(projectKey.project(tenant, quiet))!, lastBackupId: old });
  const older = putBackup(weekly, 500);
  putSchedule(weekly, { lastBackupId: older });
  for (let hour = 1; hour <= 40; hour++) putBackup(busy, hour);
  const { projects, history } = await read();
  equal(queries, 4);
  equal(history.complete, false);
  equal(history.from, ago(20));
  deepEqual(new Map(projects.map(({ id, lastGoodBackup }) => [id, lastGoodBackup?.id])).get(quiet), old);
  equal(projects.find(({ id }) => id === weekly)?.lastGoodBackup?.id, older);
});

test('overview: the totals are those of all 2,000 projects, within a bounded number of reads', async () => {
  putProject();
  for (let n = 0; n < 1_999; n++) {
    const id = putProject({ labels: n % 2 === 0 ? { team: 'shop' } : { team: 'blog', env: 'test' } });
    putSchedule(id);
    putBackup(id, 8, n < 500 ? { verification: passed, verifiedAt: ago(2) } : {});
  }
  calls = 0;
  const { totals, projects, labels } = await read();
  const { protected: safe, unprotected, unverified } = totals;
  deepEqual([projects.length, totals.projects, safe, unprotected, unverified], [2_000, 2_000, 1_999, 1, 1_499]);
  deepEqual(labels, [
    { key: 'team', value: 'shop', projects: 1_000 },
    { key: 'env', value: 'test', projects: 999 },
    { key: 'team', value: 'blog', projects: 999 },
  ]);
  // Pages of 1,000 items: two reads each of projects, schedules and backups, one of each of the others, and a last backup by key.
  ok(calls <= 13, `${calls} calls`);
});

test('overview: a project is verified by its last verification or a restore test, also of a backup that was not read', async () => {
  const stateOf = async (more: object) => {
    table.items.clear();
    const projectId = putProject(more);
    putSchedule(projectId);
    putBackup(projectId, 8);
    const { projects, totals } = await read();
    return [projects[0]?.protection, projects[0]?.verified, totals.unverified, totals.proven];
  };
  const lastVerification = { backupId: newId('backup'), at: ago(200), status: 'passed', depth: 'full' };
  const proof = { runId: newId('restoreTestRun'), backupId: null, at: ago(300), documents: 5, documentsWritten: 5 };
  deepEqual(await stateOf({}), ['protected', false, 1, 0]);
  deepEqual(await stateOf({ lastVerification }), ['protected', true, 0, 0]);
  deepEqual(await stateOf({ lastVerification: { ...lastVerification, status: 'failed' } }), ['protected', false, 1, 0]);
  deepEqual(await stateOf({ lastRestoreTest: proof }), ['protected', true, 0, 1]);
});

test('overview: the history counts what was stored at the end of each day, deleted backups included', async () => {
  const projectId = putProject();
  const dayAgo = (days: number): number => days * 24 - 1;
  putBackup(projectId, dayAgo(3), { size: 100, documentCount: 10, reads: 1_000_000 });
  // Deleted yesterday at noon: the record is kept for 30 days.
  const ttl = Date.parse(ago(24)) / 1_000 + 30 * 24 * 3_600;
  putBackup(projectId, dayAgo(2), { size: 40, documentCount: 12, status: 'deleted', ttl });
  putBackup(projectId, dayAgo(1), { size: 7, documentCount: 14 });
  putBackup(projectId, dayAgo(1), { status: 'failed', size: 0, reads: 100_000 });
  organization = { ...organization, storageUsed: 107 };
  const { days, complete } = (await read()).history;
  equal(complete, true);
  deepEqual(
    days.slice(-5).map(({ date, cost, ...day }) => day),
    [
      { backups: 0, failed: 0, addedBytes: 0, storedBytes: 0, documents: 0 },
      { backups: 1, failed: 0, addedBytes: 100, storedBytes: 100, documents: 10 },
      { backups: 1, failed: 0, addedBytes: 40, storedBytes: 140, documents: 12 },
      { backups: 1, failed: 1, addedBytes: 7, storedBytes: 107, documents: 14 },
      { backups: 0, failed: 0, addedBytes: 0, storedBytes: 107, documents: 14 },
    ],
  );
});

test('overview: the history has what backups and restores cost, on the day on which they ended, failed ones included', async () => {
  const projectId = putProject();
  putBackup(projectId, 47, { reads: 1_000_000 });
  putBackup(projectId, 23, { reads: 200_000, status: 'failed' });
  const restoreId = newIdOf('restore', new Date(ago(22)));
  table.put({
    ...restoreKey.restore(tenant, restoreId),
    id: restoreId,
    projectId,
    targetProjectId: projectId,
    targetProjectName: 'Shop',
    status: 'completed',
    dryRun: false,
    createdAt: ago(22),
    completedAt: ago(21),
    reads: 100_000,
    written: 100_000,
    deleted: 50_000,
    lateDeleted: 50_000,
    error: null,
  });
  const { days } = (await read()).history;
  deepEqual(
    days.slice(-4).map(({ cost }) => cost),
    [
      { reads: 0, estimatedUsd: 0 },
      { reads: 1_000_000, estimatedUsd: 0.6 },
      { reads: 300_000, estimatedUsd: 0.38 },
      { reads: 0, estimatedUsd: 0 },
    ],
  );
});

test('overview: a restore test counts if it wrote all it had to, also one of an earlier version', async () => {
  const projectId = putProject();
  const target = { projectId: newId('project'), projectName: 'Copy' };
  const putRun = (backupId: string, more: object): void => {
    const id = newId('restoreTestRun', now);
    const run = { id, backupId, status: 'passed', completedAt: ago(2), counts: { documents: 5 }, ...more };
    table.put({ ...restoreTestKey.run(tenant, id), ...run });
  };
  const tested = { restoreTestedAt: ago(2) };
  const lastTest = async () => (await read()).projects[0]?.lastRestoreTest;
  const old = putBackup(projectId, 8, tested);
  putRun(old, { target, removal: { status: 'nothing_written', documents: 0 } });
  equal(await lastTest(), null);
  const removed = putBackup(projectId, 7, tested);
  putRun(removed, { target, removal: { status: 'verified', documents: 5 } });
  const uncounted = { documents: null, documentsWritten: null };
  deepEqual(await lastTest(), { backupId: removed, runId: null, at: ago(2), ...uncounted });
  const runId = newId('restoreTestRun');
  const named = putBackup(projectId, 6, { restoreTestedAt: ago(1), restoreTestedBy: runId });
  deepEqual(await lastTest(), { backupId: named, runId, at: ago(1), ...uncounted });
});
