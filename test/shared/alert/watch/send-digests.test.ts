/** The weekly digest from the sweep to the e-mail, with a table in memory and given times. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { accountKey } from '../../../../shared/account/index.ts';
import {
  type AlertDeliveryRecord,
  type AlertRecord,
  alertKey,
  assessIncidents,
  sendAlertEmail,
} from '../../../../shared/alert/index.ts';
import { newAlert } from '../../../../shared/alert/model/new-alert.ts';
import { iso, newIdOf } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { backupKey } from '../../../../shared/stored-backup/index.ts';
import { backupOf } from '../../../harness/builders/sample-backup.ts';
import { createWebhookRecordsEnv, organization, tenant } from '../../../harness/env/webhook-records.ts';

const { table, aws, messages } = await createWebhookRecordsEnv();
afterAll(() => aws.stop());
Object.assign(process.env, {
  INCIDENT_QUEUE_URL: `${process.env.AWS_ENDPOINT_URL}/1/Incidents`,
  ALERT_DELIVERY_QUEUE_URL: `${process.env.AWS_ENDPOINT_URL}/1/AlertDeliveries`,
  CONSOLE_URL: 'https://backup.example.com/console',
});

const monday = new Date('2026-03-09T08:00:00.000Z');
const hours = (count: number): Date => new Date(monday.getTime() + count * 3_600_000);
const projectId = newIdOf('project', hours(-1_000));
const owner = { ...accountKey.user(organization.ownerId), id: organization.ownerId, email: 'owner@example.com' };

const putAlert = (more: Partial<AlertRecord> = {}, createdAt = hours(-500)): AlertRecord => {
  const createdBy = { type: 'system', id: 'alerts', email: null } as const;
  const alert = newAlert(
    tenant,
    {
      id: newIdOf('alert', createdAt),
      name: 'Owners',
      channel: 'email',
      digest: true,
      createdBy,
      lapsedAfterHours: 8_000,
      ...more,
    },
    createdAt,
  );
  table.put(alert);
  return alert;
};

const putProject = (): void => {
  table.put({
    ...projectKey.project(tenant, projectId),
    id: projectId,
    name: 'Shop',
    sourceProjectId: 'shop-1',
    databaseId: '(default)',
    status: 'connected',
    settings: { backupTimeoutMinutes: 30, defaultStorageId: null },
    pitr: { enabled: false },
    lastBackupAt: null,
    createdAt: iso(hours(-1_000)),
  });
  const id = newIdOf('backup', hours(-30));
  const { pk, sk } = backupKey.backup(tenant, id);
  const times = { createdAt: iso(hours(-30)), completedAt: iso(hours(-29)), readTime: iso(hours(-30)) };
  table.put({ ...backupOf({ id, projectId, size: 5_000_000, documentCount: 10, reads: 1_000_000, ...times }), pk, sk });
};

const putOrganization = (timezone = 'UTC'): void =>
  table.put({ ...organization, timezone, defaultStorageId: null, projectCount: 1, backupCount: 1, storageUsed: 5_000_000 });

beforeEach(() => {
  table.items.clear();
  aws.calls.length = 0;
  table.put(owner);
  table.put({ ...alertKey.alerting(tenant), createdAt: iso(hours(-1_000)), alertCount: 1 });
  putOrganization();
  putProject();
});

type Attempt = Parameters<typeof sendAlertEmail>[1];
const sweep = (now: Date): Promise<void> => assessIncidents(tenant, now);
/** The tasks so far, each as often as it was sent. */
const attempts = (): readonly Attempt[] =>
  messages().flatMap(([, task]) => (task.kind === 'send-alert-email' ? [task as unknown as Attempt] : []));
const runAll = async (now: Date): Promise<void> => {
  for (const attempt of attempts()) await sendAlertEmail(tenant, attempt, { clock: { now: () => now }, random: () => 0 });
};
const mails = () => aws.sent('').map((input) => JSON.stringify(input));

test('digest: is sent on Monday at 08:00 and not before, with the week before', async () => {
  putAlert();
  await sweep(hours(-0.1));
  deepEqual(attempts(), []);
  await sweep(hours(0.1));
  await runAll(hours(0.1));
  const [mail = ''] = mails();
  match(mail, /owner@example\.com/);
  match(mail, /Weekly digest: 1 of 1 project is at risk \(Acme\)/);
  match(mail, /from 2026-03-02 to 2026-03-08/);
  match(mail, /Shop is not backed up automatically/);
  match(mail, /Document reads: 1,000,000/);
  match(mail, /\$0\.60/);
  match(mail, /https:\/\/backup\.example\.com\/console\//);
});

test('digest: is sent once, however often the sweep and its task run', async () => {
  const alert = putAlert();
  for (const minutes of [1, 2, 11, 600]) await sweep(hours(minutes / 60));
  await runAll(hours(0.5));
  await runAll(hours(11));
  equal(mails().length, 1);
  const [attempt] = attempts();
  ok(attempt);
  const {
    state,
    status,
    attempts: made,
  } = table.get<AlertDeliveryRecord>(alertKey.delivery(tenant, alert.id, attempt.deliveryId)) ?? {};
  deepEqual({ state, status, made }, { state: 'digest', status: 'delivered', made: 1 });
});

test('digest: a sweep that crashed after creating the message sends it the next time', async () => {
  putAlert();
  await sweep(hours(0.1));
  table.put({ ...alertKey.alerting(tenant), createdAt: iso(hours(-1_000)), alertCount: 1 });
  await sweep(hours(0.3));
  await runAll(hours(0.4));
  equal(mails().length, 1);
});

test('digest: a week later the next one is sent', async () => {
  putAlert();
  await sweep(hours(1));
  await runAll(hours(1));
  aws.calls.length = 0;
  await sweep(hours(7 * 24 + 1));
  await runAll(hours(7 * 24 + 1));
  equal(mails().length, 1);
  match(mails()[0] ?? '', /from 2026-03-09 to 2026-03-15/);
});

test('digest: only by enabled e-mail alerts that ask for it and existed when it was due', async () => {
  const wanted = putAlert();
  putAlert({ digest: false }, hours(-400));
  putAlert({ enabled: false }, hours(-300));
  putAlert({}, hours(0.5));
  await sweep(hours(1));
  deepEqual(
    attempts().map(({ alertId }) => alertId),
    [wanted.id],
  );
});

test('digest: not for an organization without projects, and not a day too late', async () => {
  putAlert();
  await sweep(hours(25));
  deepEqual(attempts(), []);
  table.items.clear();
  table.put(owner);
  table.put({ ...alertKey.alerting(tenant), createdAt: iso(hours(-1_000)), alertCount: 1 });
  putOrganization();
  putAlert();
  await sweep(hours(1));
  deepEqual(attempts(), []);
});

test('digest: the hour is that of the organization', async () => {
  putOrganization('America/New_York');
  putAlert();
  await sweep(hours(1));
  deepEqual(attempts(), []);
  // Since 2026-03-08 New York is four hours behind.
  await sweep(hours(4));
  equal(attempts().length, 1);
  ok(attempts()[0]?.deliveryId);
});
