/** One backup per due time, however often it is ticked; every run without a backup is reported. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { backupPrefix } from '../../../../shared/backup/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { iso, StaleReadError } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { scheduleKey, startScheduledBackup } from '../../../../shared/schedule/index.ts';
import {
  addSchedule,
  at,
  backups,
  clock,
  destinationId,
  drain,
  dueTimes,
  end,
  entries,
  eventSummaries,
  events,
  lastBackup,
  newWorld,
  organizationOf,
  pass,
  projectId,
  projectOf,
  scheduleOf,
  senders,
  table,
  tenant,
  tickAt,
  waiting,
  watch,
} from '../../../harness/env/schedule-env.ts';

beforeEach(newWorld);
const night = '2026-03-02T03:00:00Z';

test('tick: starts the backup of the schedule and advances the next run', async () => {
  const schedule = await addSchedule({
    collections: ['users'],
    excludeCollections: ['users/x/y'],
    includeAuthUsers: true,
    retention: 7,
  });
  at('2026-03-02T03:00:02.000Z');
  await tickAt(schedule, night);
  const [backup, ...more] = backups();
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
  equal(backup!.storageDestination.id, destinationId);
  const { nextRunAt, lastRunAt, lastBackupId, lastTick } = scheduleOf(schedule);
  equal(nextRunAt, '2026-03-03T03:00:00.000Z');
  equal(lastRunAt, '2026-03-02T03:00:02.000Z');
  equal(lastTick, '2026-03-02T03:00:00.000Z');
  equal(lastBackupId, backup!.id);
  deepEqual(dueTimes(), [nextRunAt]);
  deepEqual(eventSummaries(), ['triggered']);
  equal(events()[0]?.data.backupId, backup!.id);
  deepEqual(
    table.find('AUDIT#').map(({ action }) => action),
    ['backup.created'],
  );
});

test('tick: concurrent duplicates from Scheduler and the watchdog start one backup', async () => {
  const schedule = await addSchedule();
  at('2026-03-02T03:04:00.000Z');
  await Promise.all([...Array.from({ length: 8 }, () => tickAt(schedule, night)), watch()]);
  await drain();
  equal(backups().length, 1);
  equal(waiting.length, 0, 'no duplicate waits for its own job');
  await end(lastBackup());
  await tickAt(schedule, night);
  equal(backups().length, 1);
  deepEqual(eventSummaries(), ['triggered']);
});

test('tick: a day that matches both day fields has two entries and one backup', async () => {
  // The 13th of March 2026 is a Friday.
  const schedule = await addSchedule({ cron: '0 3 13 * 5' });
  await drain();
  equal(entries.size, 2);
  at('2026-03-06T03:00:00.500Z');
  await tickAt(schedule, '2026-03-06T03:00:00Z');
  await end(lastBackup());
  at('2026-03-13T03:00:00.500Z');
  await tickAt(schedule, '2026-03-13T03:00:00Z');
  await end(lastBackup());
  await tickAt(schedule, '2026-03-13T03:00:00Z');
  equal(backups().length, 2);
  equal(scheduleOf(schedule).nextRunAt, '2026-03-20T03:00:00.000Z');
});

test('tick: one for a time that is not due is ignored', async () => {
  const schedule = await addSchedule();
  at('2026-03-01T15:00:00.000Z');
  await tickAt(schedule, '2026-03-01T15:00:00Z');
  await tickAt(schedule, '2026-03-01T03:00:00Z');
  equal(backups().length, 0);
  deepEqual(eventSummaries(), []);
  equal(scheduleOf(schedule).nextRunAt, '2026-03-02T03:00:00.000Z');
});

test('tick: 20 hours late, the run is skipped and reported as missed', async () => {
  const schedule = await addSchedule();
  at('2026-03-02T23:00:00.000Z');
  await tickAt(schedule, night);
  equal(backups().length, 0);
  deepEqual(eventSummaries(), ['failed missed SCHEDULE_MISSED']);
  equal(events()[0]?.data.scheduledFor, '2026-03-02T03:00:00.000Z');
  const { failing, nextRunAt, lastRunAt } = scheduleOf(schedule);
  equal(failing?.reason, 'missed');
  equal(nextRunAt, '2026-03-03T03:00:00.000Z');
  equal(lastRunAt, '2026-03-02T03:00:00.000Z');
  deepEqual(dueTimes(), [nextRunAt]);
});

test('tick: up to an hour late, the backup is started', async () => {
  const schedule = await addSchedule();
  at('2026-03-02T04:00:00.000Z');
  await tickAt(schedule, night);
  deepEqual(eventSummaries(), ['triggered']);
});

test('tick: after an outage the latest run is started and the earlier ones are reported in one event', async () => {
  const schedule = await addSchedule({ cron: '*/30 * * * *' });
  at('2026-03-01T15:10:00.000Z');
  await tickAt(schedule, '2026-03-01T12:30:00Z');
  deepEqual(eventSummaries(), ['failed missed SCHEDULE_MISSED', 'failed overdue SCHEDULE_OVERDUE', 'triggered']);
  equal(scheduleOf(schedule).lastTick, '2026-03-01T15:00:00.000Z');
  equal(scheduleOf(schedule).nextRunAt, '2026-03-01T15:30:00.000Z');
  equal(backups().length, 1);
});

test('tick: the run of a project that must be reconnected fails without a backup', async () => {
  const schedule = await addSchedule();
  table.put(projectOf({ status: 'unauthorized' }));
  at(night);
  await tickAt(schedule, night);
  equal(backups().length, 0);
  deepEqual(eventSummaries(), ['failed failed SOURCE_AUTH_ERROR']);
  equal(scheduleOf(schedule).failing?.code, 'SOURCE_AUTH_ERROR');
  equal(scheduleOf(schedule).nextRunAt, '2026-03-03T03:00:00.000Z');
});

test('tick: the run fails if there is no default destination', async () => {
  const schedule = await addSchedule();
  table.put({ ...organizationOf(), defaultStorageId: null });
  at(night);
  await tickAt(schedule, night);
  deepEqual(eventSummaries(), ['failed failed STORAGE_UPLOAD_ERROR']);
});

const inactive = {
  'a paused schedule': (schedule: { id: string }) =>
    table.put({ ...table.get(scheduleKey.schedule(tenant, schedule.id)), enabled: false }),
  'a schedule of a deleted organization': () => table.put({ ...organizationOf(), deletedAt: '2026-03-01T13:00:00.000Z' }),
  'a schedule whose project is gone': () => {
    const { pk, sk } = projectKey.project(tenant, projectId);
    table.items.delete(`${pk}\n${sk}`);
  },
};
for (const [what, deactivate] of Object.entries(inactive)) {
  test(`tick: ${what} does not run, and no missed run is reported`, async () => {
    const schedule = await addSchedule();
    await drain();
    deactivate(schedule);
    at('2026-03-02T09:00:00.000Z');
    await tickAt(schedule, night);
    await watch();
    await drain();
    equal(backups().length, 0);
    deepEqual(eventSummaries(), []);
    deepEqual([...entries.keys()], []);
    deepEqual(dueTimes(), []);
    equal(scheduleOf(schedule).nextRunAt, null);
  });
}

test('tick: a deleted schedule does not run', async () => {
  const schedule = await addSchedule();
  const { pk, sk } = scheduleKey.schedule(tenant, schedule.id);
  table.items.delete(`${pk}\n${sk}`);
  at('2026-03-02T03:05:00.000Z');
  await tickAt(schedule, night);
  await watch();
  await drain();
  equal(backups().length, 0);
  deepEqual(dueTimes(), []);
});

const lock = (): void => table.put({ ...projectKey.job(tenant, projectId), jobId: 'rst_1', kind: 'restore', since: night });
const unlock = (): void => {
  const { pk, sk } = projectKey.job(tenant, projectId);
  table.items.delete(`${pk}\n${sk}`);
};

test('tick: is postponed by a minute while the project has a job, under the sender of the tenant, and runs when it ends', async () => {
  const schedule = await addSchedule();
  await drain();
  at(night);
  lock();
  await tickAt(schedule, night);
  await tickAt(schedule, night);
  equal(waiting.length, 1, 'the duplicate is ignored');
  for (let minute = 1; minute <= 10; minute++) {
    pass(60);
    await drain();
    // The watchdog ignores it.
    if (minute % 5 === 0) await watch();
    equal(waiting.length, 1);
  }
  unlock();
  pass(60);
  await drain();
  equal(backups().length, 1);
  deepEqual(eventSummaries(), ['triggered']);
  equal(scheduleOf(schedule).putOff, undefined);
  deepEqual([...senders], [`ORG#${tenant.organizationId}`]);
});

test('tick: a run whose project is busy for an hour is skipped and reported', async () => {
  const schedule = await addSchedule();
  await drain();
  at(night);
  lock();
  await tickAt(schedule, night);
  for (const seconds of [60, 3_480, 60]) {
    pass(seconds);
    await drain();
    deepEqual(eventSummaries(), []);
  }
  pass(60);
  await drain();
  deepEqual(eventSummaries(), ['failed failed JOB_IN_PROGRESS']);
  equal(waiting.length, 0);
  equal(scheduleOf(schedule).nextRunAt, '2026-03-03T03:00:00.000Z');
});

test('tick: a postponed run is skipped when the next one is due', async () => {
  const schedule = await addSchedule({ cron: '*/5 * * * *' });
  await drain();
  at('2026-03-01T12:05:00.000Z');
  lock();
  await tickAt(schedule, '2026-03-01T12:05:00Z');
  pass(310);
  unlock();
  await tickAt(schedule, '2026-03-01T12:10:00Z');
  await drain();
  deepEqual(eventSummaries(), ['failed failed JOB_IN_PROGRESS', 'triggered']);
  equal(scheduleOf(schedule).lastTick, '2026-03-01T12:10:00.000Z');
});

test('tick: a stage whose schedules run faster than the clock starts each run once', async () => {
  const schedule = await addSchedule();
  for (const day of ['02', '03', '04']) {
    pass(1);
    await tickAt(schedule, `2026-03-${day}T03:00:00Z`);
    await tickAt(schedule, `2026-03-${day}T03:00:00Z`);
    await end(lastBackup());
  }
  equal(backups().length, 3);
  deepEqual(eventSummaries(), ['triggered', 'triggered', 'triggered']);
  equal(scheduleOf(schedule).nextRunAt, '2026-03-05T03:00:00.000Z');
  ok((scheduleOf(schedule).lastSuccessAt ?? '') <= iso(clock.now()));
});

test('watchdog: starts a run in an hour that clocks skip, once', async () => {
  at('2026-03-28T12:00:00.000Z');
  const schedule = await addSchedule({ cron: '30 2 * * *', timezone: 'Europe/Berlin' });
  await drain();
  const due = scheduleOf(schedule).nextRunAt;
  equal(due, '2026-03-29T01:30:00.000Z', '02:30 as if the clocks had not changed yet: 03:30 local time');
  at('2026-03-29T01:34:00.000Z');
  await watch();
  await drain();
  await watch();
  await drain();
  deepEqual(eventSummaries(), ['triggered']);
  equal(scheduleOf(schedule).nextRunAt, '2026-03-30T00:30:00.000Z');
});

test('watchdog: ignores schedules that are not due, and restores lost entries, under the sender of the tenant', async () => {
  const schedule = await addSchedule();
  await drain();
  at('2026-03-02T03:02:59.000Z');
  deepEqual(await watch(), { due: 0, ticked: 0 });
  entries.clear();
  at('2026-03-02T03:04:00.000Z');
  deepEqual(await watch(), { due: 1, ticked: 1 });
  deepEqual([...senders], [`ORG#${tenant.organizationId}`]);
  await drain();
  equal(backups().length, 1);
  equal(entries.size, 1);
  ok(entries.has(`${tenant.organizationId}.${schedule.id}`));
});

test('tick: the run fails if the chosen destination is deleted', async () => {
  const schedule = await addSchedule({ storageDestinationId: destinationId });
  const { pk, sk } = organizationKey.storageDestination(tenant, destinationId);
  table.items.delete(`${pk}\n${sk}`);
  at(night);
  await tickAt(schedule, night);
  deepEqual(eventSummaries(), ['failed failed STORAGE_UPLOAD_ERROR']);
});

test('tick: reads no backups while the project has a job', async () => {
  const schedule = await addSchedule({ type: 'incremental' });
  lock();
  at('2026-03-02T03:00:02.000Z');
  const { Query } = table.script;
  let queries = 0;
  table.script.Query = (input) => {
    if (JSON.stringify(input).includes(backupPrefix)) queries += 1;
    return Query!(input);
  };
  await tickAt(schedule, night).finally(() => {
    table.script.Query = Query!;
  });
  deepEqual([queries, waiting.length, backups().length], [0, 1, 0]);
});

test('scheduled start: the loser of two concurrent starts gets a stale-read error, not JOB_IN_PROGRESS', async () => {
  const schedule = await addSchedule({ type: 'incremental' });
  at('2026-03-02T03:00:02.000Z');
  await tickAt(schedule, night);
  const stale = { tenant, organization: organizationOf(), project: projectOf(), schedule };
  const start = { trigger: 'scheduled', createdBy: { type: 'system', id: schedule.id } } as const;
  await rejects(startScheduledBackup(stale, start, clock.now()), StaleReadError);
  await rejects(startScheduledBackup({ ...stale, schedule: scheduleOf(schedule) }, start, clock.now()), {
    code: 'JOB_IN_PROGRESS',
  });
});
