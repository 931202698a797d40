/** Events open, count and close incidents: one of a kind and subject at a time, however often and in which order they arrive. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { applyAnomaly, applyEvent, applyVerification } from '../../../../shared/alert/index.ts';
import { iso, newIdOf } from '../../../../shared/platform/index.ts';
import { backupKey } from '../../../../shared/stored-backup/index.ts';
import type { StoredEvent } from '../../../../shared/webhook/model/record.ts';
import { active, createAlertEnv, hours, minutes, tenant } from '../../../harness/env/alert-env.ts';
import { eventAt, eventItem } from '../../../harness/env/webhook-records.ts';

const { table, aws, tasks, reset, incidents } = await createAlertEnv();
afterAll(() => aws.stop());
beforeEach(() => reset());

type Backup = { readonly id: string; readonly scheduleId: string | null; readonly error?: { readonly code: string } };
/** An event about a backup of the sample project. */
const eventOf = (name: 'backup.failed' | 'backup.completed', at: Date, more: Partial<Backup> = {}): StoredEvent => {
  const event = eventAt(at, name);
  const data = event.data as { readonly backup: Backup };
  const backup = { ...data.backup, id: newIdOf('backup', at), trigger: 'scheduled', ...more };
  return { ...event, data: { ...data, backup } };
};
const apply = async (event: StoredEvent, at: Date = new Date(event.timestamp)): Promise<void> => {
  table.put(eventItem(event));
  const { backup } = event.data as { readonly backup?: Backup };
  if (event.type === 'backup.completed' && backup)
    table.put({ ...backupKey.backup(tenant, backup.id), ...backup, status: 'completed', verification: null });
  await applyEvent(tenant, event.id, at);
};
const schedule = newIdOf('schedule', hours(-10));
const failed = (at: Date, more: Partial<Backup> = {}) => eventOf('backup.failed', at, { scheduleId: schedule, ...more });
const completed = (at: Date, more: Partial<Backup> = {}) => eventOf('backup.completed', at, { scheduleId: schedule, ...more });
const notifications = () => tasks().filter(({ kind }) => kind === 'notify-incident').length;

test('incident: the first failure opens it, further ones are counted, and the next good backup closes it', async () => {
  await apply(failed(minutes(0)));
  await apply(failed(minutes(10)));
  const [open, ...more] = incidents();
  deepEqual(more, []);
  ok(open);
  deepEqual([open.kind, open.status, open.count, open.openedAt], ['backup_failed', 'open', 2, iso(minutes(0))]);
  equal(notifications(), 1, 'the second failure is silent');
  await apply(completed(minutes(20)));
  const [closed] = incidents();
  deepEqual([closed?.status, closed?.recoveredAt], ['recovered', iso(minutes(20))]);
  equal(notifications(), 2);
  deepEqual(table.find(active.pk, 'OPEN#'), []);
});

test('incident: a repeated event changes nothing, even after the recovery', async () => {
  const [first, second] = [failed(minutes(0)), failed(minutes(10))];
  for (const event of [first, first, second, second]) await apply(event);
  equal(incidents()[0]?.count, 2);
  await apply(completed(minutes(20)));
  await apply(first);
  deepEqual(
    incidents().map(({ status }) => status),
    ['recovered'],
  );
  equal(notifications(), 2);
});

test('incident: more that is found in a marked backup is sent at once, and once', async () => {
  const id = newIdOf('backup', minutes(0));
  const mark = async (detectedAt: Date, acknowledgedAt: Date | null = null): Promise<void> => {
    const at = { detectedAt: iso(detectedAt), acknowledgedAt: acknowledgedAt && iso(acknowledgedAt) };
    const anomaly = { ...at, findings: [{ message: `found at ${iso(detectedAt)}` }], keptBackupId: null, acknowledgedBy: null };
    table.put({ ...backupKey.backup(tenant, id), id, projectId: 'prj_1', projectName: 'Shop', anomaly });
    for (const now of [1, 2]) await applyAnomaly(tenant, id, new Date((acknowledgedAt ?? detectedAt).getTime() + now));
  };
  await mark(minutes(0));
  equal(notifications(), 1);
  await mark(minutes(10));
  const [incident] = incidents();
  deepEqual([notifications(), incident?.reminders, incident?.count, incident?.status], [2, 1, 2, 'open']);
  ok(incident?.message.includes(iso(minutes(10))));
  await mark(minutes(10), minutes(20));
  deepEqual([notifications(), incidents().map(({ status }) => status)], [3, ['recovered']]);
});

test('incident: a failure a day later is a reminder', async () => {
  await apply(failed(hours(0)));
  await apply(failed(hours(12)));
  equal(notifications(), 1);
  await apply(failed(hours(24)));
  deepEqual([notifications(), incidents()[0]?.reminders, incidents()[0]?.count], [2, 1, 3]);
});

test('incident: a good backup from before the failure, and one of another schedule, do not close it', async () => {
  await apply(failed(minutes(10)));
  await apply(completed(minutes(0)), minutes(11));
  await apply(completed(minutes(20), { scheduleId: newIdOf('schedule', hours(-9)) }));
  equal(incidents()[0]?.status, 'open');
  await apply(completed(minutes(30), { scheduleId: null }));
  equal(incidents()[0]?.status, 'recovered', 'a manual backup does');
});

for (const name of ['restore.completed', 'restore.failed'] as const)
  test(`incident: damage that ${name} reports opens one for the backup, until a verification passes`, async () => {
    const event = eventAt(minutes(0), name);
    const { restore, ...rest } = event.data as { readonly restore: { readonly backupId: string; readonly projectId: string } };
    const findings = [{ object: 'key', problem: 'missing', message: 'The key is missing' }];
    const { backupId: id, projectId } = restore;
    const backup = { ...backupKey.backup(tenant, id), id, projectId, status: 'completed', verification: null };
    const ofBackup = () => incidents().filter(({ kind }) => kind === 'verification_failed');
    const reported = { ...event, data: { ...rest, restore: { ...restore, findings, findingsCount: 3 } } };
    table.put(backup);
    await apply(reported);
    deepEqual(ofBackup(), [], 'a verification has passed since');
    table.put({ ...backup, damagedDepth: 'structure' });
    for (let n = 0; n < 2; n++) await apply(reported);
    const [open, ...more] = ofBackup();
    deepEqual([open?.status, open?.subject.id, open?.severity, open?.count, more], ['open', id, 'critical', 1, []]);
    match(open!.title, /^Backup damaged: /);
    match(open!.message, /key: The key is missing \(and 2 more\)$/);
    deepEqual(
      open!.timeline?.map(({ type, message }) => [type, type === 'finding' && message]),
      [
        ['opened', false],
        ['finding', 'key: The key is missing'],
      ],
    );
    const verification = { status: 'passed', depth: 'structure', checkedAt: iso(minutes(5)), objects: 3, findings: [] };
    table.put({ ...backup, verification });
    await applyVerification(tenant, id, minutes(5));
    deepEqual(
      ofBackup().map(({ status }) => status),
      ['recovered'],
    );
  });

test('incident: a restore that found no damage opens none, also in a backup known as damaged', async () => {
  const event = eventAt(minutes(0), 'restore.completed');
  const { restore, ...rest } = event.data as { readonly restore: { readonly backupId: string; readonly projectId: string } };
  const { backupId: id, projectId } = restore;
  table.put({
    ...backupKey.backup(tenant, id),
    id,
    projectId,
    status: 'completed',
    verification: null,
    damagedDepth: 'structure',
  });
  await apply({ ...event, data: { ...rest, restore: { ...restore, findings: [], findingsCount: 0 } } });
  deepEqual(incidents(), []);
});

test('incident: a cancelled backup opens none', async () => {
  await apply(failed(minutes(0), { error: { code: 'CANCELLED' } }));
  deepEqual(incidents(), []);
});

test('incident: nothing is opened for a deleted organization', async () => {
  table.put({ ...active, deletedAt: iso(minutes(0)) });
  await apply(failed(minutes(1)));
  deepEqual(incidents(), []);
});

test('incident: concurrent failures open one', async () => {
  await Promise.all([apply(failed(minutes(0))), apply(failed(minutes(1))), apply(failed(minutes(2)))]);
  deepEqual(
    incidents().map(({ count }) => count),
    [3],
  );
  equal(notifications(), 1);
});

test('default: any event gives an organization from before alerts existed its alert, so that the sweep finds it', async () => {
  table.items.delete(`${active.pk}\nALERTING`);
  await apply(completed(minutes(0), { scheduleId: null }));
  equal(table.find(active.pk, 'ALERT#').length, 1);
  equal(table.find('DUE#ALERT', '').length, 1);
});
