/** One backup for every moment, whoever tells of it and however often; and whatever is not made is told of. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { backupPrefix } from '../../../../shared/backup/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { iso, StaleReadError } from '../../../../shared/platform/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { scheduleKey, startScheduled } from '../../../../shared/schedule/index.ts';
import {
  addSchedule,
  at,
  backups,
  clock,
  destinationId,
  drain,
  dueNotes,
  end,
  entries,
  events,
  lastBackup,
  newWorld,
  organizationOf,
  pass,
  projectId,
  projectOf,
  scheduleOf,
  table,
  tenant,
  tickAt,
  told,
  waiting,
  watch,
} from '../../../harness/env/schedule-env.ts';

beforeEach(newWorld);
const night = '2026-03-02T03:00:00Z';

test('a tick starts the backup that the schedule describes, and says when the next one is due', async () => {
  const schedule = await addSchedule({
    ...{ collections: ['users'], excludeCollections: ['users/x/y'], includeAuthUsers: true, retention: 7 },
  });
  at('2026-03-02T03:00:02.000Z');
  await tickAt(schedule, night);
  const [backup, ...more] = backups();
  equal(more.length, 0);
  const { collections, excludedCollections, includeAuthUsers, retentionDays, trigger, scheduleId, createdBy } = backup!;
  deepEqual(
    { collections, excludedCollections, includeAuthUsers, retentionDays, trigger, scheduleId },
    {
      ...{ collections: ['users'], excludedCollections: ['users/x/y'], includeAuthUsers: true, retentionDays: 7 },
      ...{ trigger: 'scheduled', scheduleId: schedule.id },
    },
  );
  equal(createdBy.type, 'system');
  equal(backup!.storageDestination.id, destinationId);
  const { nextRunAt, lastRunAt, lastBackupId, lastTick } = scheduleOf(schedule);
  equal(nextRunAt, '2026-03-03T03:00:00.000Z');
  equal(lastRunAt, '2026-03-02T03:00:02.000Z');
  equal(lastTick, '2026-03-02T03:00:00.000Z');
  equal(lastBackupId, backup!.id);
  deepEqual(dueNotes(), [nextRunAt]);
  deepEqual(told(), ['triggered']);
  equal(events()[0]?.data.backupId, backup!.id);
  deepEqual(
    table.find('AUDIT#').map(({ action }) => action),
    ['backup.created'],
  );
});

test('a tick told many times at once, by the Scheduler and the watch, starts one backup', async () => {
  const schedule = await addSchedule();
  at('2026-03-02T03:04:00.000Z');
  await Promise.all([...Array.from({ length: 8 }, () => tickAt(schedule, night)), watch()]);
  await drain();
  equal(backups().length, 1);
  equal(waiting.length, 0, 'none of them waits for the job that is its own');
  await end(lastBackup());
  await tickAt(schedule, night);
  equal(backups().length, 1);
  deepEqual(told(), ['triggered']);
});

test('a day that matches both kinds of days has two entries and one backup', async () => {
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

test('a tick of a time at which it is not due, or of before its expression was changed, does nothing', async () => {
  const schedule = await addSchedule();
  at('2026-03-01T15:00:00.000Z');
  await tickAt(schedule, '2026-03-01T15:00:00Z');
  await tickAt(schedule, '2026-03-01T03:00:00Z');
  equal(backups().length, 0);
  deepEqual(told(), []);
  equal(scheduleOf(schedule).nextRunAt, '2026-03-02T03:00:00.000Z');
});

test('a tick that comes 20 hours late makes no backup, and that is told', async () => {
  const schedule = await addSchedule();
  at('2026-03-02T23:00:00.000Z');
  await tickAt(schedule, night);
  equal(backups().length, 0);
  deepEqual(told(), ['failed missed SCHEDULE_MISSED']);
  equal(events()[0]?.data.scheduledFor, '2026-03-02T03:00:00.000Z');
  const { failing, nextRunAt, lastRunAt } = scheduleOf(schedule);
  equal(failing?.reason, 'missed');
  equal(nextRunAt, '2026-03-03T03:00:00.000Z');
  equal(lastRunAt, '2026-03-02T03:00:00.000Z');
  deepEqual(dueNotes(), [nextRunAt]);
});

test('up to an hour late it is made', async () => {
  const schedule = await addSchedule();
  at('2026-03-02T04:00:00.000Z');
  await tickAt(schedule, night);
  deepEqual(told(), ['triggered']);
});

test('after an outage over many runs the latest one is made, and those before are told of at once', async () => {
  const schedule = await addSchedule({ cron: '*/30 * * * *' });
  at('2026-03-01T15:10:00.000Z');
  await tickAt(schedule, '2026-03-01T12:30:00Z');
  deepEqual(told(), ['failed missed SCHEDULE_MISSED', 'failed overdue SCHEDULE_OVERDUE', 'triggered']);
  equal(scheduleOf(schedule).lastTick, '2026-03-01T15:00:00.000Z');
  equal(scheduleOf(schedule).nextRunAt, '2026-03-01T15:30:00.000Z');
  equal(backups().length, 1);
});

test('a project that must be reconnected fails at once, and no backup is begun', async () => {
  const schedule = await addSchedule();
  table.put(projectOf({ status: 'unauthorized' }));
  at(night);
  await tickAt(schedule, night);
  equal(backups().length, 0);
  deepEqual(told(), ['failed failed SOURCE_AUTH_ERROR']);
  equal(scheduleOf(schedule).failing?.code, 'SOURCE_AUTH_ERROR');
  equal(scheduleOf(schedule).nextRunAt, '2026-03-03T03:00:00.000Z');
});

test('where nothing says to which destination, the run fails and says so', async () => {
  const schedule = await addSchedule();
  table.put({ ...organizationOf(), defaultStorageId: null });
  at(night);
  await tickAt(schedule, night);
  deepEqual(told(), ['failed failed STORAGE_UPLOAD_ERROR']);
});

const asleep = {
  'a paused schedule': (schedule: { id: string }) =>
    table.put({ ...table.get(scheduleKey.schedule(tenant, schedule.id)), enabled: false }),
  'a schedule of a deleted organization': () => table.put({ ...organizationOf(), deletedAt: '2026-03-01T13:00:00.000Z' }),
  'a schedule whose project is gone': () => {
    const { pk, sk } = projectKey.project(tenant, projectId);
    table.items.delete(`${pk}\n${sk}`);
  },
};
for (const [what, sleep] of Object.entries(asleep)) {
  test(`${what} does not run, and nobody is told that it should have`, async () => {
    const schedule = await addSchedule();
    await drain();
    sleep(schedule);
    at('2026-03-02T09:00:00.000Z');
    await tickAt(schedule, night);
    await watch();
    await drain();
    equal(backups().length, 0);
    deepEqual(told(), []);
    deepEqual([...entries.keys()], []);
    deepEqual(dueNotes(), []);
    equal(scheduleOf(schedule).nextRunAt, null);
  });
}

test('a schedule that is gone does not run', async () => {
  const schedule = await addSchedule();
  const { pk, sk } = scheduleKey.schedule(tenant, schedule.id);
  table.items.delete(`${pk}\n${sk}`);
  at('2026-03-02T03:05:00.000Z');
  await tickAt(schedule, night);
  await watch();
  await drain();
  equal(backups().length, 0);
  deepEqual(dueNotes(), []);
});

const lock = (): void => table.put({ ...projectKey.job(tenant, projectId), jobId: 'rst_1', kind: 'restore', since: night });
const unlock = (): void => {
  const { pk, sk } = projectKey.job(tenant, projectId);
  table.items.delete(`${pk}\n${sk}`);
};

test('while its project has a job the run waits, minute by minute, and is made when the job has ended', async () => {
  const schedule = await addSchedule();
  await drain();
  at(night);
  lock();
  await tickAt(schedule, night);
  await tickAt(schedule, night);
  equal(waiting.length, 1, 'the duplicate has ended');
  for (let minute = 1; minute <= 10; minute++) {
    pass(60);
    await drain();
    // The watch leaves it alone.
    if (minute % 5 === 0) await watch();
    equal(waiting.length, 1);
  }
  unlock();
  pass(60);
  await drain();
  equal(backups().length, 1);
  deepEqual(told(), ['triggered']);
  equal(scheduleOf(schedule).putOff, undefined);
});

test('a job that does not end within the hour costs the run, and that is told', async () => {
  const schedule = await addSchedule();
  await drain();
  at(night);
  lock();
  await tickAt(schedule, night);
  for (const seconds of [60, 3_480, 60]) {
    pass(seconds);
    await drain();
    deepEqual(told(), []);
  }
  pass(60);
  await drain();
  deepEqual(told(), ['failed failed JOB_IN_PROGRESS']);
  equal(waiting.length, 0);
  equal(scheduleOf(schedule).nextRunAt, '2026-03-03T03:00:00.000Z');
});

test('a run that waits gives way to the next one', async () => {
  const schedule = await addSchedule({ cron: '*/5 * * * *' });
  await drain();
  at('2026-03-01T12:05:00.000Z');
  lock();
  await tickAt(schedule, '2026-03-01T12:05:00Z');
  pass(310);
  unlock();
  await tickAt(schedule, '2026-03-01T12:10:00Z');
  await drain();
  deepEqual(told(), ['failed failed JOB_IN_PROGRESS', 'triggered']);
  equal(scheduleOf(schedule).lastTick, '2026-03-01T12:10:00.000Z');
});

test('a stage whose schedules run faster than the clock makes each run once', async () => {
  const schedule = await addSchedule();
  for (const day of ['02', '03', '04']) {
    pass(1);
    await tickAt(schedule, `2026-03-${day}T03:00:00Z`);
    await tickAt(schedule, `2026-03-${day}T03:00:00Z`);
    await end(lastBackup());
  }
  equal(backups().length, 3);
  deepEqual(told(), ['triggered', 'triggered', 'triggered']);
  equal(scheduleOf(schedule).nextRunAt, '2026-03-05T03:00:00.000Z');
  ok((scheduleOf(schedule).lastSuccessAt ?? '') <= iso(clock.now()));
});

test('a run in an hour that clocks leave out is made up for by the watch, once', async () => {
  at('2026-03-28T12:00:00.000Z');
  const schedule = await addSchedule({ cron: '30 2 * * *', timezone: 'Europe/Berlin' });
  await drain();
  const due = scheduleOf(schedule).nextRunAt;
  equal(due, '2026-03-29T01:30:00.000Z', '02:30 as if clocks had not been changed, which they show as 03:30');
  at('2026-03-29T01:34:00.000Z');
  await watch();
  await drain();
  await watch();
  await drain();
  deepEqual(told(), ['triggered']);
  equal(scheduleOf(schedule).nextRunAt, '2026-03-30T00:30:00.000Z');
});

test('the watch leaves alone what is not due, and sees to entries that were lost', async () => {
  const schedule = await addSchedule();
  await drain();
  at('2026-03-02T03:02:59.000Z');
  deepEqual(await watch(), { due: 0, told: 0 });
  entries.clear();
  at('2026-03-02T03:04:00.000Z');
  deepEqual(await watch(), { due: 1, told: 1 });
  await drain();
  equal(backups().length, 1);
  equal(entries.size, 1);
  ok(entries.has(`${tenant.organizationId}.${schedule.id}`));
});

test('a destination that was chosen and is gone fails the run', async () => {
  const schedule = await addSchedule({ storageDestinationId: destinationId });
  const { pk, sk } = organizationKey.storageDestination(tenant, destinationId);
  table.items.delete(`${pk}\n${sk}`);
  at(night);
  await tickAt(schedule, night);
  deepEqual(told(), ['failed failed STORAGE_UPLOAD_ERROR']);
});

test('while its project has a job nothing is looked for: of any number of backups none is read', async () => {
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

test('whoever has read the schedule before another started its backup is overtaken, and does not wait for a job that is its own', async () => {
  const schedule = await addSchedule({ type: 'incremental' });
  at('2026-03-02T03:00:02.000Z');
  await tickAt(schedule, night);
  const late = { tenant, organization: organizationOf(), project: projectOf(), schedule };
  const start = { trigger: 'scheduled', createdBy: { type: 'system', id: schedule.id } } as const;
  await rejects(startScheduled(late, start, clock.now()), StaleReadError);
  await rejects(startScheduled({ ...late, schedule: scheduleOf(schedule) }, start, clock.now()), { code: 'JOB_IN_PROGRESS' });
});
