/** One backup per due time, however often it is ticked; every run without a backup is reported. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { iso, StaleReadError } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { scheduleKey, startScheduledBackup } from '../../../../shared/schedule/index.ts';
import { backupPrefix } from '../../../../shared/stored-backup/index.ts';
import { createScheduleEnv } from '../../../harness/env/schedule-env.ts';

const t = createScheduleEnv();

beforeEach(t.newWorld);
const night = '2026-03-02T03:00:00Z';

test('tick: starts the backup of the schedule and advances the next run', async () => {
  const schedule = await t.addSchedule({
    collections: ['users'],
    excludeCollections: ['users/x/y'],
    includeAuthUsers: true,
    retention: 7,
  });
  t.at('2026-03-02T03:00:02.000Z');
  await t.tickAt(schedule, night);
  const [backup, ...more] = t.backups();
  equal(more.length, 0);
  const { collections, excludedCollections, includeAuthUsers, retentionDays, trigger, scheduleId, createdBy } = backup!;
  deepEqual(
    { collections, excludedCollections, includeAuthUsers, retentionDays, trigger, scheduleId },
    {
      collections: ['users'],
      excludedCollections: ['users/x/y'],
      includeAuthUsers: true,
      retentionDays: 7,
      trigger: 'scheduled',
      scheduleId: schedule.id,
    },
  );
  equal(createdBy.type, 'system');
  equal(backup!.storageDestination.id, t.destinationId);
  const { nextRunAt, lastRunAt, lastBackupId, lastTick } = t.scheduleOf(schedule);
  equal(nextRunAt, '2026-03-03T03:00:00.000Z');
  equal(lastRunAt, '2026-03-02T03:00:02.000Z');
  equal(lastTick, '2026-03-02T03:00:00.000Z');
  equal(lastBackupId, backup!.id);
  deepEqual(t.dueTimes(), [nextRunAt]);
  deepEqual(t.eventSummaries(), ['triggered']);
  equal(t.events()[0]?.data.backupId, backup!.id);
  deepEqual(
    t.table.find('AUDIT#').map(({ action }) => action),
    ['backup.created'],
  );
});

test('tick: concurrent duplicates from Scheduler and the watchdog start one backup', async () => {
  const schedule = await t.addSchedule();
  t.at('2026-03-02T03:04:00.000Z');
  await Promise.all([...Array.from({ length: 8 }, () => t.tickAt(schedule, night)), t.watch()]);
  await t.drain();
  equal(t.backups().length, 1);
  equal(t.waiting.length, 0, 'no duplicate waits for its own job');
  await t.end(t.lastBackup());
  await t.tickAt(schedule, night);
  equal(t.backups().length, 1);
  deepEqual(t.eventSummaries(), ['triggered']);
});

test('tick: a day that matches both day fields has two entries and one backup', async () => {
  // The 13th of March 2026 is a Friday.
  const schedule = await t.addSchedule({ cron: '0 3 13 * 5' });
  await t.drain();
  equal(t.entries.size, 2);
  t.at('2026-03-06T03:00:00.500Z');
  await t.tickAt(schedule, '2026-03-06T03:00:00Z');
  await t.end(t.lastBackup());
  t.at('2026-03-13T03:00:00.500Z');
  await t.tickAt(schedule, '2026-03-13T03:00:00Z');
  await t.end(t.lastBackup());
  await t.tickAt(schedule, '2026-03-13T03:00:00Z');
  equal(t.backups().length, 2);
  equal(t.scheduleOf(schedule).nextRunAt, '2026-03-20T03:00:00.000Z');
});

test('tick: one for a time that is not due is ignored', async () => {
  const schedule = await t.addSchedule();
  t.at('2026-03-01T15:00:00.000Z');
  await t.tickAt(schedule, '2026-03-01T15:00:00Z');
  await t.tickAt(schedule, '2026-03-01T03:00:00Z');
  equal(t.backups().length, 0);
  deepEqual(t.eventSummaries(), []);
  equal(t.scheduleOf(schedule).nextRunAt, '2026-03-02T03:00:00.000Z');
});

test('tick: 20 hours late, the run is skipped and reported as missed', async () => {
  const schedule = await t.addSchedule();
  t.at('2026-03-02T23:00:00.000Z');
  await t.tickAt(schedule, night);
  equal(t.backups().length, 0);
  deepEqual(t.eventSummaries(), ['failed missed SCHEDULE_MISSED']);
  equal(t.events()[0]?.data.scheduledFor, '2026-03-02T03:00:00.000Z');
  const { failing, nextRunAt, lastRunAt } = t.scheduleOf(schedule);
  equal(failing?.reason, 'missed');
  equal(nextRunAt, '2026-03-03T03:00:00.000Z');
  equal(lastRunAt, '2026-03-02T03:00:00.000Z');
  deepEqual(t.dueTimes(), [nextRunAt]);
});

test('tick: up to an hour late, the backup is started', async () => {
  const schedule = await t.addSchedule();
  t.at('2026-03-02T04:00:00.000Z');
  await t.tickAt(schedule, night);
  deepEqual(t.eventSummaries(), ['triggered']);
});

test('tick: after an outage the latest run is started and the earlier ones are reported in one event', async () => {
  const schedule = await t.addSchedule({ cron: '*/30 * * * *' });
  t.at('2026-03-01T15:10:00.000Z');
  await t.tickAt(schedule, '2026-03-01T12:30:00Z');
  deepEqual(t.eventSummaries(), ['failed missed SCHEDULE_MISSED', 'failed overdue SCHEDULE_OVERDUE', 'triggered']);
  equal(t.scheduleOf(schedule).lastTick, '2026-03-01T15:00:00.000Z');
  equal(t.scheduleOf(schedule).nextRunAt, '2026-03-01T15:30:00.000Z');
  equal(t.backups().length, 1);
});

test('tick: the run of a project that must be reconnected fails without a backup', async () => {
  const schedule = await t.addSchedule();
  t.table.put(t.projectOf({ status: 'unauthorized' }));
  t.at(night);
  await t.tickAt(schedule, night);
  equal(t.backups().length, 0);
  deepEqual(t.eventSummaries(), ['failed failed SOURCE_AUTH_ERROR']);
  equal(t.scheduleOf(schedule).failing?.code, 'SOURCE_AUTH_ERROR');
  equal(t.scheduleOf(schedule).nextRunAt, '2026-03-03T03:00:00.000Z');
});

test('tick: the run fails if there is no default destination', async () => {
  const schedule = await t.addSchedule();
  t.table.put({ ...t.organizationOf(), defaultStorageId: null });
  t.at(night);
  await t.tickAt(schedule, night);
  deepEqual(t.eventSummaries(), ['failed failed STORAGE_UPLOAD_ERROR']);
});

const inactive = {
  'a paused schedule': (schedule: { id: string }) =>
    t.table.put({ ...t.table.get(scheduleKey.schedule(t.tenant, schedule.id)), enabled: false }),
  'a schedule of a deleted organization': () => t.table.put({ ...t.organizationOf(), deletedAt: '2026-03-01T13:00:00.000Z' }),
  'a schedule of a deleted project': () => {
    const { pk, sk } = projectKey.project(t.tenant, t.projectId);
    t.table.items.delete(`${pk}\n${sk}`);
  },
};
for (const [what, deactivate] of Object.entries(inactive)) {
  test(`tick: ${what} does not run, and no missed run is reported`, async () => {
    const schedule = await t.addSchedule();
    await t.drain();
    deactivate(schedule);
    t.at('2026-03-02T09:00:00.000Z');
    await t.tickAt(schedule, night);
    await t.watch();
    await t.drain();
    equal(t.backups().length, 0);
    deepEqual(t.eventSummaries(), []);
    deepEqual([...t.entries.keys()], []);
    deepEqual(t.dueTimes(), []);
    equal(t.scheduleOf(schedule).nextRunAt, null);
  });
}

test('tick: a deleted schedule does not run', async () => {
  const schedule = await t.addSchedule();
  const { pk, sk } = scheduleKey.schedule(t.tenant, schedule.id);
  t.table.items.delete(`${pk}\n${sk}`);
  t.at('2026-03-02T03:05:00.000Z');
  await t.tickAt(schedule, night);
  await t.watch();
  await t.drain();
  equal(t.backups().length, 0);
  deepEqual(t.dueTimes(), []);
});

const lock = (): void => t.table.put({ ...projectKey.job(t.tenant, t.projectId), jobId: 'rst_1', kind: 'restore', since: night });
const unlock = (): void => {
  const { pk, sk } = projectKey.job(t.tenant, t.projectId);
  t.table.items.delete(`${pk}\n${sk}`);
};

test('tick: is postponed by a minute while the project has a job, under the sender of the tenant, and runs when it ends', async () => {
  const schedule = await t.addSchedule();
  await t.drain();
  t.at(night);
  lock();
  await t.tickAt(schedule, night);
  await t.tickAt(schedule, night);
  equal(t.waiting.length, 1, 'the duplicate is ignored');
  for (let minute = 1; minute <= 10; minute++) {
    t.pass(60);
    await t.drain();
    // The watchdog ignores it.
    if (minute % 5 === 0) await t.watch();
    equal(t.waiting.length, 1);
  }
  unlock();
  t.pass(60);
  await t.drain();
  equal(t.backups().length, 1);
  deepEqual(t.eventSummaries(), ['triggered']);
  equal(t.scheduleOf(schedule).putOff, undefined);
  deepEqual([...t.senders], [`ORG#${t.tenant.organizationId}`]);
});

test('tick: a run whose project is busy for an hour is skipped and reported', async () => {
  const schedule = await t.addSchedule();
  await t.drain();
  t.at(night);
  lock();
  await t.tickAt(schedule, night);
  for (const seconds of [60, 3_480, 60]) {
    t.pass(seconds);
    await t.drain();
    deepEqual(t.eventSummaries(), []);
  }
  t.pass(60);
  await t.drain();
  deepEqual(t.eventSummaries(), ['failed failed JOB_IN_PROGRESS']);
  equal(t.waiting.length, 0);
  equal(t.scheduleOf(schedule).nextRunAt, '2026-03-03T03:00:00.000Z');
});

test('tick: a postponed run is skipped when the next one is due', async () => {
  const schedule = await t.addSchedule({ cron: '*/5 * * * *' });
  await t.drain();
  t.at('2026-03-01T12:05:00.000Z');
  lock();
  await t.tickAt(schedule, '2026-03-01T12:05:00Z');
  t.pass(310);
  unlock();
  await t.tickAt(schedule, '2026-03-01T12:10:00Z');
  await t.drain();
  deepEqual(t.eventSummaries(), ['failed failed JOB_IN_PROGRESS', 'triggered']);
  equal(t.scheduleOf(schedule).lastTick, '2026-03-01T12:10:00.000Z');
});

test('tick: a stage whose schedules run faster than the clock starts each run once', async () => {
  const schedule = await t.addSchedule();
  for (const day of ['02', '03', '04']) {
    t.pass(1);
    await t.tickAt(schedule, `2026-03-${day}T03:00:00Z`);
    await t.tickAt(schedule, `2026-03-${day}T03:00:00Z`);
    await t.end(t.lastBackup());
  }
  equal(t.backups().length, 3);
  deepEqual(t.eventSummaries(), ['triggered', 'triggered', 'triggered']);
  equal(t.scheduleOf(schedule).nextRunAt, '2026-03-05T03:00:00.000Z');
  ok((t.scheduleOf(schedule).lastSuccessAt ?? '') <= iso(t.clock.now()));
});

test('watchdog: starts a run in an hour that clocks skip, once', async () => {
  t.at('2026-03-28T12:00:00.000Z');
  const schedule = await t.addSchedule({ cron: '30 2 * * *', timezone: 'Europe/Berlin' });
  await t.drain();
  const due = t.scheduleOf(schedule).nextRunAt;
  equal(due, '2026-03-29T01:30:00.000Z', '02:30 as if the clocks had not changed yet: 03:30 local time');
  t.at('2026-03-29T01:34:00.000Z');
  await t.watch();
  await t.drain();
  await t.watch();
  await t.drain();
  deepEqual(t.eventSummaries(), ['triggered']);
  equal(t.scheduleOf(schedule).nextRunAt, '2026-03-30T00:30:00.000Z');
});

test('watchdog: ignores schedules that are not due, and restores lost entries, under the sender of the tenant', async () => {
  const schedule = await t.addSchedule();
  await t.drain();
  t.at('2026-03-02T03:02:59.000Z');
  deepEqual(await t.watch(), { due: 0, ticked: 0 });
  t.entries.clear();
  t.at('2026-03-02T03:04:00.000Z');
  deepEqual(await t.watch(), { due: 1, ticked: 1 });
  deepEqual([...t.senders], [`ORG#${t.tenant.organizationId}`]);
  await t.drain();
  equal(t.backups().length, 1);
  equal(t.entries.size, 1);
  ok(t.entries.has(`${t.tenant.organizationId}.${schedule.id}`));
});

test('tick: the run fails if the chosen destination is deleted', async () => {
  const schedule = await t.addSchedule({ storageDestinationId: t.destinationId });
  const { pk, sk } = organizationKey.storageDestination(t.tenant, t.destinationId);
  t.table.items.delete(`${pk}\n${sk}`);
  t.at(night);
  await t.tickAt(schedule, night);
  deepEqual(t.eventSummaries(), ['failed failed STORAGE_UPLOAD_ERROR']);
});

test('tick: reads no backups while the project has a job', async () => {
  const schedule = await t.addSchedule({ type: 'incremental' });
  lock();
  t.at('2026-03-02T03:00:02.000Z');
  const { Query } = t.table.script;
  let queries = 0;
  t.table.script.Query = (input) => {
    if (JSON.stringify(input).includes(backupPrefix)) queries += 1;
    return Query!(input);
  };
  await t.tickAt(schedule, night).finally(() => {
    t.table.script.Query = Query!;
  });
  deepEqual([queries, t.waiting.length, t.backups().length], [0, 1, 0]);
});

test('scheduled start: the loser of two concurrent starts gets a stale-read error, not JOB_IN_PROGRESS', async () => {
  const schedule = await t.addSchedule({ type: 'incremental' });
  t.at('2026-03-02T03:00:02.000Z');
  await t.tickAt(schedule, night);
  const stale = { tenant: t.tenant, organization: t.organizationOf(), project: t.projectOf(), schedule };
  const start = { trigger: 'scheduled', createdBy: { type: 'system', id: schedule.id } } as const;
  await rejects(startScheduledBackup(stale, start, t.clock.now()), StaleReadError);
  await rejects(startScheduledBackup({ ...stale, schedule: t.scheduleOf(schedule) }, start, t.clock.now()), {
    code: 'JOB_IN_PROGRESS',
  });
});
