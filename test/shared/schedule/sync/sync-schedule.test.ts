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
import { createScheduleEnv } from '../../../harness/env/schedule-env.ts';

const t = createScheduleEnv();

beforeEach(t.newWorld);

const change = async (schedule: ScheduleRecord, given: object): Promise<void> =>
  commit(
    (await updateSchedule(t.caller, { schedule: t.scheduleOf(schedule), project: t.projectOf(), given, now: t.clock.now() }))
      .change.writes,
  );
const nameOf = ({ id }: ScheduleRecord): string => `${t.tenant.organizationId}.${id}`;

test('sync: a new schedule gets an entry with its expression; Scheduler inserts the due time', async () => {
  const schedule = await t.addSchedule({ cron: '30 2 * * mon-fri', timezone: 'Europe/Berlin' });
  await t.drain();
  const [entry, ...others] = t.entries.values();
  equal(others.length, 0);
  const { name, expression, timezone, body } = entry!;
  deepEqual(
    { name, expression, timezone },
    { name: nameOf(schedule), expression: 'cron(30 2 ? * 2,3,4,5,6 *)', timezone: 'Europe/Berlin' },
  );
  ok(name.length <= 62 && /^[0-9a-zA-Z-_.]+$/.test(name), 'leaves two of the 64 characters that a name may have');
  deepEqual(JSON.parse(body).task, { kind: 'run-schedule', scheduleId: schedule.id, at: '<aws.scheduler.scheduled-time>' });
  equal(t.scheduleOf(schedule).enteredRevision, 1);
});

test('sync: entries follow a change of expression, and exist only while the schedule is enabled', async () => {
  const schedule = await t.addSchedule({ cron: '0 3 1 * mon' });
  await t.drain();
  deepEqual([...t.entries.keys()], [nameOf(schedule), `${nameOf(schedule)}.w`]);
  await change(schedule, { cron: '0 4 * * *' });
  await t.drain();
  deepEqual(
    [...t.entries.values()].map(({ expression }) => expression),
    ['cron(0 4 * * ? *)'],
  );
  await change(schedule, { enabled: false });
  await t.drain();
  equal(t.entries.size, 0);
  deepEqual(t.dueTimes(), []);
  await change(schedule, { enabled: true });
  await t.drain();
  equal(t.entries.size, 1);
  deepEqual(t.dueTimes(), [t.scheduleOf(schedule).nextRunAt]);
});

test('sync: a deleted schedule leaves neither entries nor a due item', async () => {
  const schedule = await t.addSchedule();
  await t.drain();
  await commit(
    (await deleteSchedule(t.caller, { schedule: t.scheduleOf(schedule), project: t.projectOf(), now: t.clock.now() })).writes,
  );
  await t.drain();
  equal(t.entries.size, 0);
  deepEqual(t.dueTimes(), []);
});

test('sync: a change during the sync is seen by the same sync', async () => {
  const schedule = await t.addSchedule();
  let isChanged = false;
  await syncSchedule(t.tenant, schedule.id, {
    time: t.clock,
    entries: {
      ...t.scheduler,
      put: async (entry) => {
        await t.scheduler.put(entry);
        if (!isChanged) await change(schedule, { enabled: false });
        isChanged = true;
      },
    },
  });
  equal(t.entries.size, 0);
  equal(t.scheduleOf(schedule).enteredRevision, 2);
});

for (const what of ['schedule', 'organization', 'project'] as const) {
  test(`sync: entries created while the ${what} is deleted are removed`, async () => {
    const schedule = await t.addSchedule();
    await syncSchedule(t.tenant, schedule.id, {
      time: t.clock,
      entries: {
        ...t.scheduler,
        put: async (entry) => {
          await t.scheduler.put(entry);
          const key = projectKey.project(t.tenant, t.projectId);
          if (what === 'organization') t.table.put({ ...t.organizationOf(), deletedAt: '2026-03-01T12:00:00.000Z' });
          if (what === 'project') t.table.items.delete(`${key.pk}\n${key.sk}`);
          if (what === 'schedule') t.table.items.delete(`${schedule.pk}\n${schedule.sk}`);
        },
      },
    });
    equal(t.entries.size, 0);
  });
}

test('sync: deleting an organization removes all entries; recovering it brings them back with next runs in the future', async () => {
  const [one, other] = [await t.addSchedule(), await t.addSchedule({ cron: '0 5 * * *' })];
  const paused = await t.addSchedule({ enabled: false });
  await t.drain();
  equal(t.entries.size, 2);
  t.table.put({ ...t.table.get(organizationKey.organization(t.tenant)), deletedAt: '2026-03-01T12:00:00.000Z' });
  await t.perform(t.messageOf({ kind: 'sync-schedules' }));
  equal(t.entries.size, 0);
  deepEqual(t.dueTimes(), []);
  t.at('2026-03-09T12:00:00.000Z');
  const { deletedAt: _, ...recovered } = t.table.get(organizationKey.organization(t.tenant))!;
  t.table.put({ ...recovered } as never);
  await t.perform(t.messageOf({ kind: 'sync-schedules' }));
  equal(t.entries.size, 2);
  equal(t.scheduleOf(one).nextRunAt, '2026-03-10T03:00:00.000Z');
  equal(t.scheduleOf(other).nextRunAt, '2026-03-10T05:00:00.000Z');
  equal(t.scheduleOf(paused).nextRunAt, null);
  deepEqual([...t.dueTimes()].sort(), ['2026-03-10T03:00:00.000Z', '2026-03-10T05:00:00.000Z']);
});

test('sync: deleting a project deletes its schedules and entries, with an event each; other schedules stay', async () => {
  await t.addSchedule({ cron: '0 3 1 * mon' });
  await t.addSchedule({ enabled: false });
  await t.drain();
  const other = await t.addSchedule();
  t.table.put({ ...t.scheduleOf(other), projectId: 'prj_other' });
  await commit(removeProject(t.caller, t.projectOf(), t.clock.now()).writes);
  await t.drain();
  deepEqual(
    t.events().map(({ type }) => type),
    ['schedule.deleted', 'schedule.deleted'],
  );
  equal(t.table.find(`ORG#${t.tenant.organizationId}`, 'SCHEDULE#').length, 1);
  equal(t.entries.size, 0, 'the other one has none because its project does not exist');
  equal(t.table.get(organizationKey.organization(t.tenant))?.scheduleCount, 1);
});

test('sync: at its deadline the walk enqueues a task that continues it', async () => {
  for (let n = 0; n < 5; n++) await t.addSchedule();
  await t.drain();
  t.entries.clear();
  let looks = 0;
  const slow = { now: () => new Date(Date.parse('2026-03-01T12:00:00.000Z') + looks++ * 400) };
  await syncAllSchedules(t.tenant, { task: {}, until: new Date('2026-03-01T12:00:01.000Z'), time: slow, entries: t.scheduler });
  ok(t.entries.size < 5);
  await t.drain();
  equal(t.entries.size, 5);
});

test('purge: leaves no entry, no due item and no record', async () => {
  await t.addSchedule({ cron: '0 3 1 * mon' });
  await t.addSchedule();
  await t.drain();
  equal(t.entries.size, 3);
  const past = new Date('2026-03-01T11:00:00.000Z');
  equal(await purgeSchedules(t.tenant, { until: past, time: t.clock, remove: t.scheduler.remove }), false);
  equal(
    await purgeSchedules(t.tenant, { until: new Date('2026-03-01T13:00:00.000Z'), time: t.clock, remove: t.scheduler.remove }),
    true,
  );
  equal(t.entries.size, 0);
  deepEqual(t.dueTimes(), []);
  equal(t.table.find(`ORG#${t.tenant.organizationId}`, 'SCHEDULE#').length, 0);
});
