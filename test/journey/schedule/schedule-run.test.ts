/** Schedules fire on a stage whose time is 300 times faster: five minutes take a second. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { afterAll, test } from 'vitest';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { organizations } from '../../../shared/contract/endpoints/organizations.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { restoreTests } from '../../../shared/contract/endpoints/protection/restore-tests.ts';
import { schedules } from '../../../shared/contract/endpoints/schedules.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { startKillableStage } from '../../harness/faults/killable-stage.ts';
import { newDestination, newProject, seed } from '../../harness/stage/backup.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { newOrganization } from '../../harness/stage/organization.ts';
import { type ReceivedRequest, startReceiver } from '../../harness/stage/receiver.ts';
import { getItem } from '../../harness/stage/table.ts';

const dir = mkdtempSync(join(tmpdir(), 'stage-'));
const stage = await startKillableStage(dir, undefined, 300);
const receiver = await startReceiver();
afterAll(async () => {
  await stage.kill();
  await receiver.stop();
  rmSync(dir, { recursive: true, force: true });
});

const organization = await newOrganization();
const by = { token: organization.owner.accessToken, org: organization.id };
const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
await seed(project.sourceProjectId, { 'users/ada': { name: { stringValue: 'Ada' } } });

const scheduler = new SchedulerClient({
  endpoint: stageVariable('STAGE_AWS_URL'),
  region: stageVariable('STAGE_REGION'),
  credentials: { accessKeyId: stageVariable('STAGE_AWS_KEY'), secretAccessKey: 'x' },
});
/** Scheduler entries of the organization. */
const entries = async (): Promise<readonly string[]> => {
  const { Schedules = [] } = await scheduler.send(new ListSchedulesCommand({ NamePrefix: organization.id }));
  return Schedules.map(({ Name = '' }) => Name).sort();
};
const until = async <T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> => {
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    await pause(100);
  }
};
const get = async (scheduleId: string) => (await call(schedules.get, { ...by, params: { scheduleId } })).body.data;

interface Told {
  readonly type: string;
  readonly data: { readonly backupId?: string; readonly schedule: { readonly id: string; readonly cronExpression: string } };
}
const toldBy = ({ body }: ReceivedRequest): Told => JSON.parse(body.toString());
const hears = async (type: string): Promise<Told> => toldBy(await receiver.next((heard) => toldBy(heard).type === type));

/** Five minutes from now, every day. */
const dueAt = new Date((Math.floor(Date.now() / 60_000) + 6) * 60_000);
const cron = `${dueAt.getUTCMinutes()} ${dueAt.getUTCHours()} * * *`;
const nextDay = (moment: Date, days: number): string => new Date(moment.getTime() + days * 86_400_000).toISOString();

test('schedule: it fires, its backup completes with events, and deleting the project removes its Scheduler entries', async () => {
  const hook = { name: 'Schedules', url: receiver.url('/schedules'), events: ['schedule.*'] };
  equal((await call(webhooks.create, { ...by, body: hook })).status, 201);
  const body = { projectId: project.id, name: 'Nightly', cron, storageDestinationId: destination.id, type: 'incremental' };
  const made = await call(schedules.create, { ...by, body });
  equal(made.status, 201, made.text);
  const { id: scheduleId, nextRunAt } = made.body.data;
  equal(nextRunAt, dueAt.toISOString());
  equal((await hears('schedule.created')).data.schedule.cronExpression, cron);

  const ran = await until(
    () => get(scheduleId),
    ({ lastSuccessAt }) => lastSuccessAt !== null,
  );
  const backup = (await call(backups.get, { ...by, params: { backupId: ran.lastBackupId ?? '' } })).body.data;
  deepEqual(
    { status: backup.status, trigger: backup.trigger, scheduleId: backup.scheduleId, documentCount: backup.documentCount },
    { status: 'completed', trigger: 'scheduled', scheduleId, documentCount: 1 },
  );
  equal(backup.type, 'full');
  ok(backup.fullBecause, 'there was nothing to build upon');
  equal(ran.lastSuccessAt, backup.completedAt);
  ok((ran.lastSuccessAt ?? '') < new Date().toISOString(), 'what is written down is true');
  equal(ran.nextRunAt, nextDay(dueAt, 1));
  equal((await hears('schedule.triggered')).data.backupId, backup.id);
  const { body: listed } = await call(backups.list, { ...by, query: { projectId: project.id } });
  equal(listed.data.length, 1, 'one backup for one moment');

  // A restore test of that backup is due in five minutes, too.
  const testDueAt = new Date((Math.floor(Date.now() / 60_000) + 6) * 60_000);
  const testCron = `${testDueAt.getUTCMinutes()} ${testDueAt.getUTCHours()} * * *`;
  const planned = await call(restoreTests.create, { ...by, body: { projectId: project.id, name: 'Proof', cron: testCron } });
  equal(planned.status, 201, planned.text);
  const restoreTestId = planned.body.data.id;
  const tested = await until(
    async () => (await call(restoreTests.get, { ...by, params: { restoreTestId } })).body.data,
    ({ lastOutcome }) => lastOutcome !== null,
  );
  deepEqual([tested.lastOutcome?.status, tested.nextRunAt], ['passed', nextDay(testDueAt, 1)]);
  const { data: runs } = (await call(restoreTests.listRuns, { ...by, params: { restoreTestId } })).body;
  deepEqual(
    runs.map(({ trigger, scheduledFor, backupId }) => [trigger, scheduledFor, backupId]),
    [['scheduled', testDueAt.toISOString(), backup.id]],
  );
  deepEqual(await entries(), [`${organization.id}.${restoreTestId}`, `${organization.id}.${scheduleId}`]);
  const paused = await call(schedules.update, { ...by, params: { scheduleId }, body: { enabled: false } });
  equal(paused.body.data.nextRunAt, null);
  await until(entries, ({ length }) => length === 1);
  // Two entries: one per kind of day.
  const either = { enabled: true, cron: '0 3 1 * mon' };
  equal((await call(schedules.update, { ...by, params: { scheduleId }, body: either })).status, 200);
  await until(entries, ({ length }) => length === 3);

  equal((await call(projects.remove, { ...by, params: { projectId: project.id } })).status, 200);
  await until(entries, ({ length }) => length === 0);
  equal((await hears('schedule.deleted')).data.schedule.id, scheduleId);
  equal((await call(schedules.get, { ...by, params: { scheduleId } })).status, 404);
  equal((await call(restoreTests.get, { ...by, params: { restoreTestId } })).status, 404);
});

test('schedule: deleting the organization removes its Scheduler entries, recovery restores them, a purge leaves none', async () => {
  const other = await newProject(organization);
  const body = { projectId: other.id, name: 'Weekly', cron: '0 3 * * sun', storageDestinationId: destination.id };
  const { body: made } = await call(schedules.create, { ...by, body });
  await until(entries, ({ length }) => length === 1);
  const softly = { confirmName: organization.name };
  equal((await call(organizations.remove, { ...by, body: softly })).status, 200);
  await until(entries, ({ length }) => length === 0);
  equal((await call(organizations.recover, { token: by.token, params: { id: organization.id } })).status, 200);
  await until(entries, ({ length }) => length === 1);
  // Recorded after the Scheduler entry.
  await until(
    () => get(made.data.id),
    ({ nextRunAt }) => nextRunAt !== null,
  );
  equal((await call(organizations.remove, { ...by, body: { ...softly, force: true } })).status, 202);
  await until(entries, ({ length }) => length === 0);
  const key = { pk: `ORG#${organization.id}`, sk: 'META' };
  await until(
    () => getItem(key),
    (item) => item === undefined,
  );
});
