/** A schedule from its creation to its deletion, through the API and its events. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, test } from 'vitest';
import { schedules } from '../../../shared/contract/endpoints/schedules.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import type { EventName } from '../../../shared/contract/events/event-names.ts';
import { endOf, newDestination, newProject, seed } from '../../harness/stage/backup.ts';
import { call } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { startReceiver } from '../../harness/stage/receiver.ts';
import { getItem } from '../../harness/stage/table.ts';

const receiver = await startReceiver();
afterAll(() => receiver.stop());
const organization = await newOrganization();
const by = { token: organization.owner.accessToken, org: organization.id };
const [project, destination] = await Promise.all([newProject(organization, { name: 'Shop' }), newDestination(organization)]);
await seed(project.sourceProjectId, { 'users/ada': { name: { stringValue: 'Ada' } }, 'logs/1': { at: { integerValue: '1' } } });

type Told = { readonly backupId?: string; readonly schedule: Readonly<Record<string, unknown>> };

const subscribe = async (path: string, format: 'standard' | 'simple', events: readonly EventName[] | readonly string[]) => {
  const answer = await call(webhooks.create, { ...by, body: { name: path, url: receiver.url(path), events, format } });
  equal(answer.status, 201, answer.text);
};
/** Waits for the next event of that type. */
const hear = async (wanted: EventName) => {
  const { body } = await receiver.next(
    (heard) => heard.path === '/standard' && (JSON.parse(heard.body.toString()) as { type: string }).type === wanted,
  );
  const { data, metadata } = JSON.parse(body.toString()) as { data: Told; metadata: Readonly<Record<string, unknown>> };
  return { ...data, metadata };
};
/** Waits until the Scheduler entries match the schedule. */
const entered = async (scheduleId: string): Promise<void> => {
  const key = { pk: `ORG#${organization.id}`, sk: `SCHEDULE#${scheduleId}` };
  for (;;) {
    const record = await getItem(key);
    if (record?.enteredRevision === record?.revision) return;
    await pause(100);
  }
};

test('schedule: create, update, pause, resume, trigger and delete take effect and emit their events', async () => {
  await subscribe('/standard', 'standard', ['schedule.*', 'backup.completed']);
  await subscribe('/simple', 'simple', ['schedule.created']);
  const request = { projectId: project.id, name: 'Nightly', cron: '30 2 * * *', timezone: 'Europe/Berlin', retention: 30 };
  const scope = { excludeCollections: ['logs'], storageDestinationId: destination.id };
  const made = await call(schedules.create, { ...by, body: { ...request, ...scope } });
  equal(made.status, 201, made.text);
  const { id } = made.body.data;
  const params = { scheduleId: id };
  const change = async (body: object) => {
    const answer = await call(schedules.update, { ...by, params, body });
    equal(answer.status, 200, answer.text);
    return answer.body.data;
  };

  const created = await hear('schedule.created');
  equal(made.body.data.waitingFor, null);
  deepEqual(created.schedule, { ...made.body.data, cronExpression: '30 2 * * *', projectName: 'Shop' });
  const legacy = await receiver.next(({ path }) => path === '/simple');
  const { cronExpression, nextRunAt, scheduleId } = (JSON.parse(legacy.body.toString()) as { data: Record<string, unknown> })
    .data;
  deepEqual(
    { scheduleId, cronExpression, nextRunAt },
    { scheduleId: id, cronExpression: '30 2 * * *', nextRunAt: made.body.data.nextRunAt },
  );
  await entered(id);

  const changed = await change({ cron: '0 4 * * mon-fri', retention: null, retentionPolicy: { daily: 7 } });
  deepEqual([changed.retention, changed.retentionPolicy?.daily], [null, 7]);
  equal((await hear('schedule.updated')).schedule.nextRunAt, changed.nextRunAt);

  equal((await change({ enabled: false })).nextRunAt, null);
  equal((await hear('schedule.updated')).schedule.enabled, false);
  const list = await call(schedules.list, { ...by, query: { enabled: 'false', projectId: project.id } });
  deepEqual(
    list.body.data.map((one) => one.id),
    [id],
  );
  equal((await change({ enabled: true })).nextRunAt, changed.nextRunAt);
  equal((await hear('schedule.updated')).schedule.nextRunAt, changed.nextRunAt);
  await entered(id);

  const triggered = await call(schedules.trigger, { ...by, params });
  equal(triggered.status, 202, triggered.text);
  const { id: backupId, trigger } = triggered.body.data;
  equal(trigger, 'manual');
  deepEqual((await hear('schedule.triggered')).backupId, backupId);
  const ended = await endOf(organization, backupId);
  deepEqual(
    { status: ended.status, scheduleId: ended.scheduleId, collectionCounts: Object.keys(ended.collectionCounts) },
    { status: 'completed', scheduleId: id, collectionCounts: ['users'] },
  );
  deepEqual((await hear('backup.completed')).metadata.scheduleId, id);
  const seen = async () => (await call(schedules.get, { ...by, params })).body.data;
  while ((await seen()).lastSuccessAt === null) await pause(200);
  const { lastBackupId, nextRunAt: next, failing } = await seen();
  deepEqual({ lastBackupId, next, failing }, { lastBackupId: backupId, next: changed.nextRunAt, failing: null });

  const used = await call(storageDestinations.remove, { ...by, params: { storageId: destination.id } });
  equal(used.body.error.code, 'CONFLICT', used.text);

  equal((await call(schedules.remove, { ...by, params })).status, 200);
  equal((await hear('schedule.deleted')).schedule.id, id);
  equal((await call(schedules.get, { ...by, params })).body.error.code, 'SCHEDULE_NOT_FOUND');
  equal((await endOf(organization, backupId)).status, 'completed');
  ok(!receiver.requests.some(({ body }) => body.includes('schedule.failed')));
});
