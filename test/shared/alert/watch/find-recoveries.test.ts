/** The sweep closes incidents that are over, and no others. */
import { equal, match } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { applyVerification, assessIncidents } from '../../../../shared/alert/index.ts';
import { alertKey, type IncidentRecord } from '../../../../shared/alert/model/record.ts';
import { iso, newIdOf } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { restoreTestKey } from '../../../../shared/restore-test/index.ts';
import { scheduleKey } from '../../../../shared/schedule/index.ts';
import { backupKey } from '../../../../shared/stored-backup/index.ts';
import { alertOf, createAlertEnv, hours, now, shop, tenant } from '../../../harness/env/alert-env.ts';

const { table, aws, reset, incidents } = await createAlertEnv();
afterAll(() => aws.stop());

const { id: projectId } = shop;
const goodBackup = (at: Date, scheduleId: string): void => {
  const id = newIdOf('backup', at);
  const times = { readTime: iso(at), completedAt: iso(at), createdAt: iso(at) };
  const backup = { id, projectId, status: 'completed', trigger: 'scheduled', scheduleId, verification: null };
  table.put({ ...backupKey.backup(tenant, id), ...backup, ...times });
  table.put({ ...shop, lastBackupId: id });
};
const openIncident = (more: Partial<IncidentRecord> = {}): void => {
  const id = newIdOf('incident', hours(1));
  const incident = {
    ...alertKey.incident(tenant, id),
    id,
    kind: 'backup_failed',
    severity: 'warning',
    status: 'open',
    title: 'Backup failed: Shop',
    failure: 'Access denied',
    message: 'Access denied',
    subject: { type: 'project', id: projectId, name: 'Shop' },
    project: { id: projectId, name: 'Shop' },
    facts: [],
    page: '/',
    count: 1,
    sources: [],
    openedAt: iso(hours(1)),
    lastFailureAt: iso(hours(1)),
    recoveredAt: null,
    remindedAt: iso(hours(1)),
    reminders: 0,
    alertIds: [],
    ...more,
  } as IncidentRecord;
  table.put(incident);
  table.put({ ...alertKey.open(tenant, incident.kind, incident.subject.id), incidentId: id });
};

test('recovery: a failure of a schedule that was deleted or disabled is over with the next good backup of any', async () => {
  const [gone, other] = [newIdOf('schedule', hours(-10)), newIdOf('schedule', hours(-9))];
  const schedule = {
    ...scheduleKey.schedule(tenant, gone),
    id: gone,
    name: 'Nightly',
    projectId,
    cron: '0 2 * * *',
    timezone: 'UTC',
  };
  for (const [enabled, status] of [
    [true, 'open'],
    [false, 'recovered'],
    [undefined, 'recovered'],
  ] as const) {
    reset(alertOf({ lapsedAfterHours: 8_760 }));
    goodBackup(hours(2), other);
    openIncident({ scheduleId: gone });
    if (enabled !== undefined) table.put({ ...schedule, enabled, failing: null, lastSuccessAt: null, updatedAt: iso(hours(1)) });
    await assessIncidents(tenant, hours(3));
    equal(incidents()[0]?.status, status, `enabled: ${enabled}`);
  }
});

test('recovery: an incident stays open in an organization with more projects than one page', async () => {
  reset(alertOf({ lapsedAfterHours: 8_760 }));
  table.put(shop);
  for (let n = 1; n <= 1_000; n++) {
    const id = newIdOf('project', hours(n / 1_000));
    table.put({ ...shop, ...projectKey.project(tenant, id), id });
  }
  openIncident();
  await assessIncidents(tenant, hours(3));
  equal(incidents()[0]?.status, 'open');
});

test('recovery: a lapse that ends because alerts wait longer does not claim a new backup', async () => {
  for (const [backupAt, message] of [
    [hours(0), /the alerts were changed$/],
    [hours(2), /^Shop has a recent good backup again$/],
  ] as const) {
    reset(alertOf({ lapsedAfterHours: 8_760 }));
    goodBackup(backupAt, newIdOf('schedule', hours(-10)));
    openIncident({ kind: 'protection_lapsed' });
    await assessIncidents(tenant, hours(3));
    equal(incidents()[0]?.status, 'recovered');
    match(incidents()[0]?.message ?? '', message);
  }
});

test('recovery: a failed restore test stays open while a plan covers the project, and is over with the last such plan', async () => {
  const id = newIdOf('restoreTest', hours(-10));
  const plan = { ...restoreTestKey.plan(tenant, id), id, name: 'Proof', enabled: true, target: null };
  const otherId = newIdOf('project', hours(-9));
  const intoItself = { projectId: null, target: { projectId } };
  for (const [covered, status, count] of [
    [{ projectId: null }, 'open', 2],
    [{ projectId }, 'open', 2],
    [{ projectId, target: { projectId: otherId } }, 'open', 2],
    [{ projectId, enabled: false }, 'recovered', 2],
    [{ projectId: null, enabled: false }, 'recovered', 2],
    [{ projectId: otherId }, 'recovered', 2],
    [intoItself, 'recovered', 2],
    // The plan has nothing to test, and says so in its only project.
    [intoItself, 'open', 1],
    [undefined, 'recovered', 2],
  ] as const) {
    reset(alertOf({ lapsedAfterHours: 8_760 }));
    table.put(shop);
    if (count === 2) table.put({ ...shop, ...projectKey.project(tenant, otherId), id: otherId, name: 'Other' });
    openIncident({ kind: 'restore_test_failed' });
    if (covered !== undefined) table.put({ ...plan, ...covered });
    await assessIncidents(tenant, hours(3));
    const found = incidents().find(({ kind }) => kind === 'restore_test_failed');
    equal(found?.status, status, `plan ${JSON.stringify(covered)}`);
  }
});

test('verification: one that is less deep than the one that found the damage does not end the incident', async () => {
  const id = newIdOf('backup', now);
  const backup = { ...backupKey.backup(tenant, id), id, projectId, status: 'completed', trigger: 'manual', scheduleId: null };
  const verify = async (
    status: 'failed' | 'passed',
    { depth, damagedDepth, at }: { readonly depth: string; readonly damagedDepth: string | undefined; readonly at: Date },
  ) => {
    const verification = { status, depth, checkedAt: iso(at), objects: 3, findings: [] };
    table.put({ ...backup, verification, ...(damagedDepth && { damagedDepth }) });
    await applyVerification(tenant, id, at);
    return incidents()[0]?.status;
  };
  reset();
  equal(await verify('failed', { depth: 'full', damagedDepth: 'full', at: hours(1) }), 'open');
  equal(await verify('passed', { depth: 'structure', damagedDepth: 'full', at: hours(2) }), 'open');
  equal(await verify('passed', { depth: 'full', damagedDepth: undefined, at: hours(3) }), 'recovered');
});
