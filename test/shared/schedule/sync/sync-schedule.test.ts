/** Scheduler has entries exactly while a schedule is active, whatever happens concurrently. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { commit } from '../../../../shared/platform/index.ts';
import { projectKey, removeProject } from '../../../../shared/project/index.ts';
import {
  deleteSchedule,
  purgeSchedules,
  type ScheduleRecord,
  syncAllSchedules,
  syncSchedule,
  updateSchedule,
} from '../../../../shared/schedule/index.ts';
import {
  addSchedule,
  at,
  caller,
  clock,
  drain,
  dueTimes,
  entries,
  events,
  messageOf,
  newWorld,
  organizationOf,
  perform,
  projectId,
  projectOf,
  scheduleOf,
  scheduler,
  table,
  tenant,
} from '../../../harness/env/schedule-env.ts';

beforeEach(newWorld);

const change = async (schedule: ScheduleRecord, given: object): Promise<void> =>
  commit((await updateSchedule(caller, scheduleOf(schedule), projectOf(), given, clock.now())).change.writes);
const nameOf = ({ id }: ScheduleRecord): string => `${tenant.organizationId}.${id}`;

test('sync: a new schedule gets an entry with its expression; Scheduler inserts the due time', async () => {
  const schedule = await addSchedule({ cron: '30 2 * * mon-fri', timezone: 'Europe/Berlin' });
  await drain();
  const [entry, ...others] = entries.values();
  equal(others.length, 0);
  const { name, expression, timezone, body } = entry!;
  deepEqual(
    { name, expression, timezone },
    { name: nameOf(schedule), expression: 'cron(30 2 ? * 2,3,4,5,6 *)', timezone: 'Europe/Berlin' },
  );
  ok(name.length <= 62 && /^[0-9a-zA-Z-_.]+$/.test(name), 'leaves two of the 64 characters that a name may have');
  deepEqual(JSON.parse(body).task, { kind: 'run-schedule', scheduleId: schedule.id, at: '<aws.scheduler.scheduled-time>' });
  equal(scheduleOf(schedule).enteredRevision, 1);
});

test('sync: entries follow a change of expression, and exist only while the schedule is enabled', async () => {
  const schedule = await addSchedule({ cron: '0 3 1 * mon' });
  await drain();
  deepEqual([...entries.keys()], [nameOf(schedule), `${nameOf(schedule)}.w`]);
  await change(schedule, { cron: '0 4 * * *' });
  await drain();
  deepEqual(
    [...entries.values()].map(({ expression }) => expression),
    ['cron(0 4 * * ? *)'],
  );
  await change(schedule, { enabled: false });
  await drain();
  equal(entries.size, 0);
  deepEqual(dueTimes(), []);
  await change(schedule, { enabled: true });
  await drain();
  equal(entries.size, 1);
  deepEqual(dueTimes(), [scheduleOf(schedule).nextRunAt]);
});

test('sync: a deleted schedule leaves neither entries nor a due item', async () => {
  const schedule = await addSchedule();
  await drain();
  await commit(deleteSchedule(caller, scheduleOf(schedule), projectOf(), clock.now()).writes);
  await drain();
  equal(entries.size, 0);
  deepEqual(dueTimes(), []);
});

test('sync: a change during the sync is seen by the same sync', async () => {
  const schedule = await addSchedule();
  let isChanged = false;
  await syncSchedule(tenant, schedule.id, clock, {
    ...scheduler,
    put: async (entry) => {
      await scheduler.put(entry);
      if (!isChanged) await change(schedule, { enabled: false });
      isChanged = true;
    },
  });
  equal(entries.size, 0);
  equal(scheduleOf(schedule).enteredRevision, 2);
});

for (const what of ['schedule', 'organization', 'project'] as const) {
  test(`sync: entries made while the ${what} is deleted are removed`, async () => {
    const schedule = await addSchedule();
    await syncSchedule(tenant, schedule.id, clock, {
      ...scheduler,
      put: async (entry) => {
        await scheduler.put(entry);
        const key = projectKey.project(tenant, projectId);
        if (what === 'organization') table.put({ ...organizationOf(), deletedAt: '2026-03-01T12:00:00.000Z' });
        if (what === 'project') table.items.delete(`${key.pk}\n${key.sk}`);
        if (what === 'schedule') table.items.delete(`${schedule.pk}\n${schedule.sk}`);
      },
    });
    equal(entries.size, 0);
  });
}

test('sync: deleting an organization removes all entries; recovering it brings them back with next runs in the future', async () => {
  const [one, other] = [await addSchedule(), await addSchedule({ cron: '0 5 * * *' })];
  const paused = await addSchedule({ enabled: false });
  await drain();
  equal(entries.size, 2);
  table.put({ ...table.get(organizationKey.organization(tenant)), deletedAt: '2026-03-01T12:00:00.000Z' });
  await perform(messageOf({ kind: 'sync-schedules' }));
  equal(entries.size, 0);
  deepEqual(dueTimes(), []);
  at('2026-03-09T12:00:00.000Z');
  const { deletedAt: _, ...recovered } = table.get(organizationKey.organization(tenant))!;
  table.put({ ...recovered } as never);
  await perform(messageOf({ kind: 'sync-schedules' }));
  equal(entries.size, 2);
  equal(scheduleOf(one).nextRunAt, '2026-03-10T03:00:00.000Z');
  equal(scheduleOf(other).nextRunAt, '2026-03-10T05:00:00.000Z');
  equal(scheduleOf(paused).nextRunAt, null);
  deepEqual([...dueTimes()].sort(), ['2026-03-10T03:00:00.000Z', '2026-03-10T05:00:00.000Z']);
});

test('sync: deleting a project deletes its schedules and entries, with an event each; other schedules stay', async () => {
  await addSchedule({ cron: '0 3 1 * mon' });
  await addSchedule({ enabled: false });
  await drain();
  const other = await addSchedule();
  table.put({ ...scheduleOf(other), projectId: 'prj_other' });
  await commit(removeProject(caller, projectOf(), clock.now()).writes);
  await drain();
  deepEqual(
    events().map(({ type }) => type),
    ['schedule.deleted', 'schedule.deleted'],
  );
  equal(table.find(`ORG#${tenant.organizationId}`, 'SCHEDULE#').length, 1);
  equal(entries.size, 0, 'the other one has none because its project does not exist');
  equal(table.get(organizationKey.organization(tenant))?.scheduleCount, 1);
});

test('sync: at its deadline the walk enqueues a task that continues it', async () => {
  for (let n = 0; n < 5; n++) await addSchedule();
  await drain();
  entries.clear();
  let looks = 0;
  const slow = { now: () => new Date(Date.parse('2026-03-01T12:00:00.000Z') + looks++ * 400) };
  await syncAllSchedules(tenant, {}, new Date('2026-03-01T12:00:01.000Z'), slow, scheduler);
  ok(entries.size < 5);
  await drain();
  equal(entries.size, 5);
});

test('purge: leaves no entry, no due item and no record', async () => {
  await addSchedule({ cron: '0 3 1 * mon' });
  await addSchedule();
  await drain();
  equal(entries.size, 3);
  const past = new Date('2026-03-01T11:00:00.000Z');
  equal(await purgeSchedules(tenant, past, clock, scheduler.remove), false);
  equal(await purgeSchedules(tenant, new Date('2026-03-01T13:00:00.000Z'), clock, scheduler.remove), true);
  equal(entries.size, 0);
  deepEqual(dueTimes(), []);
  equal(table.find(`ORG#${tenant.organizationId}`, 'SCHEDULE#').length, 0);
});
