/** Silence is noticed, each alert by its own hours, and what is over is closed. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { assessIncidents, notifyIncident } from '../../../../shared/alert/index.ts';
import { type AlertRecord, alertKey } from '../../../../shared/alert/model/record.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { iso, newIdOf } from '../../../../shared/platform/index.ts';
import { scheduleKey } from '../../../../shared/schedule/index.ts';
import { backupKey } from '../../../../shared/stored-backup/index.ts';
import { active, alertOf, createAlertEnv, hours, now, shop, tenant } from '../../../harness/env/alert-env.ts';

const { table, aws, reset, incidents, deliveries, tasks } = await createAlertEnv();
afterAll(() => aws.stop());

const { id: projectId } = shop;
const goodBackup = (at: Date) => {
  const id = newIdOf('backup', at);
  table.put({
    ...backupKey.backup(tenant, id),
    id,
    projectId,
    status: 'completed',
    trigger: 'manual',
    scheduleId: null,
    verification: null,
    readTime: iso(at),
    completedAt: iso(at),
    createdAt: iso(at),
  });
  table.put({ ...shop, lastBackupId: id });
};
const notifyAll = async (at: Date): Promise<void> => {
  for (const { id } of incidents()) await notifyIncident(tenant, { incidentId: id, now: at });
};
const statesOf = (alert: AlertRecord) => deliveries(alert).map(({ state }) => state);

test('lapse: every alert is told after its own hours, once, and a good backup ends it', async () => {
  const early = alertOf({ lapsedAfterHours: 24 });
  const other = alertOf();
  const usual = { ...alertOf({ id: newIdOf('alert', hours(-9)) }), ...alertKey.alert(tenant, other.id), id: other.id };
  reset(early, usual);
  table.put(shop);
  const look = async (at: Date) => {
    await assessIncidents(tenant, at);
    await notifyAll(at);
  };
  await look(hours(23));
  deepEqual(incidents(), []);
  await look(hours(25));
  await look(hours(26));
  deepEqual([incidents().length, incidents()[0]?.kind, incidents()[0]?.severity], [1, 'protection_lapsed', 'critical']);
  deepEqual([statesOf(early), statesOf(usual)], [['open'], []]);
  await look(hours(49));
  deepEqual([statesOf(early), statesOf(usual)], [['open'], ['open']]);
  goodBackup(hours(50));
  await look(hours(50));
  deepEqual(
    [statesOf(early), statesOf(usual)],
    [
      ['open', 'recovered'],
      ['open', 'recovered'],
    ],
  );
  deepEqual([incidents()[0]?.status, incidents()[0]?.count], ['recovered', 1]);
});

test('overdue: a schedule of which nothing is heard is reported two hours after its due time', async () => {
  const alert = alertOf({ lapsedAfterHours: 8_760 });
  reset(alert);
  table.put(shop);
  goodBackup(hours(0));
  const id = newIdOf('schedule', hours(-10));
  const schedule = {
    ...scheduleKey.schedule(tenant, id),
    id,
    name: 'Nightly',
    projectId,
    cron: '0 2 * * *',
    timezone: 'UTC',
    enabled: true,
    failing: null,
    lastSuccessAt: null,
    updatedAt: iso(hours(-10)),
    createdAt: iso(hours(-10)),
  };
  table.put(schedule);
  // Due on 2 March at 02:00, which is 16 hours later.
  await assessIncidents(tenant, hours(17));
  deepEqual(incidents(), []);
  await assessIncidents(tenant, hours(18.5));
  await assessIncidents(tenant, hours(19));
  deepEqual(
    incidents().map(({ kind, status, count }) => [kind, status, count]),
    [['schedule_overdue', 'open', 1]],
  );
  match(incidents()[0]?.message ?? '', /Schedule Nightly was due at 2026-03-02T02:00/);
  table.put({ ...schedule, lastSuccessAt: iso(hours(20)) });
  await assessIncidents(tenant, hours(21));
  equal(incidents()[0]?.status, 'recovered');
});

test('default: an organization from before alerts existed gets its alert once, and not again after it was deleted', async () => {
  reset();
  table.items.delete(`${active.pk}\nALERTING`);
  await Promise.all([assessIncidents(tenant, now), assessIncidents(tenant, now)]);
  const found = () => table.find(active.pk, 'ALERT#') as unknown as readonly AlertRecord[];
  deepEqual(
    found().map(({ name, channel, recipients, isDefault, digest }) => [name, channel, recipients, isDefault, digest]),
    [['Owners by e-mail', 'email', 'owners', true, true]],
  );
  for (const { pk, sk } of found()) table.items.delete(`${pk}\n${sk}`);
  await assessIncidents(tenant, hours(1));
  deepEqual(found(), []);
});

test('digest: it is sent once on Monday morning, by alerts that have it, and not without projects', async () => {
  const alert = alertOf({ channel: 'email', recipients: 'owners', digest: true, lapsedAfterHours: 8_760 });
  reset(alert);
  // 1 March 2026 is a Sunday: the digest is due on Monday at 08:00, 22 hours later.
  await assessIncidents(tenant, hours(23));
  deepEqual(statesOf(alert), [], 'there are no projects');
  table.put(shop);
  goodBackup(hours(20));
  await assessIncidents(tenant, hours(21));
  deepEqual(statesOf(alert), []);
  await assessIncidents(tenant, hours(22.2));
  await assessIncidents(tenant, hours(22.4));
  deepEqual(statesOf(alert), ['digest']);
  deepEqual(
    tasks().filter(({ kind }) => kind === 'notify-incident'),
    [],
  );
});

test('API keys: one is reported 14 and 3 days before it expires and when it has, and its use afterwards is audited once', async () => {
  const alert = alertOf();
  reset(alert);
  const id = newIdOf('apiKey', now);
  const key = { ...organizationKey.apiKey(tenant, id), id, name: 'CI', createdBy: { type: 'user', id: 'usr_1', email: null } };
  const lives = (days: number) => table.put({ ...key, expirySetAt: iso(now), expiresAt: iso(hours(days * 24)) });
  const look = async (days: number) => {
    await assessIncidents(tenant, hours(days * 24));
    await notifyAll(hours(days * 24));
    return statesOf(alert).at(-1);
  };
  lives(30);
  deepEqual([await look(15), incidents().length], [undefined, 0]);
  deepEqual([await look(16.5), await look(20)], ['open', 'open']);
  deepEqual([incidents()[0]?.kind, incidents()[0]?.subject.type], ['api_key_expiring', 'api_key']);
  equal(await look(27.5), 'reminder');
  equal(await look(30.5), 'reminder');
  match(incidents()[0]?.message ?? '', /expired at/);

  const audited = () => table.find('AUDIT#').filter(({ action }) => action === 'api_key.expired_use');
  equal(audited().length, 0);
  table.put({ ...organizationKey.seen(tenant, id), at: iso(hours(29 * 24)), refusedAt: iso(hours(31 * 24)) });
  for (const days of [31.1, 31.2]) await look(days);
  equal(audited().length, 1);

  lives(90);
  equal(await look(32), 'recovered');
  equal(incidents()[0]?.status, 'recovered');
});

test('API keys: one that was meant to live for a few days ends as planned', async () => {
  reset(alertOf());
  const id = newIdOf('apiKey', now);
  const key = {
    ...organizationKey.apiKey(tenant, id),
    id,
    name: 'Migration',
    createdBy: { type: 'user', id: 'usr_1', email: null },
  };
  table.put({ ...key, expirySetAt: iso(now), expiresAt: iso(hours(48)) });
  for (const at of [1, 40, 60]) await assessIncidents(tenant, hours(at));
  deepEqual(incidents(), []);
});
