/** The Scheduler has entries exactly as long as a schedule runs, whatever happens at the same moment. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { commit } from '../../../../shared/platform/index.ts';
import { projectKey, removeProject } from '../../../../shared/project/index.ts';
import {
  changeSchedule,
  purgeSchedules,
  removeSchedule,
  type ScheduleRecord,
  syncSchedule,
  syncSchedules,
} from '../../../../shared/schedule/index.ts';
import {
  acting,
  addSchedule,
  at,
  clock,
  doors,
  drain,
  dueNotes,
  entries,
  events,
  messageOf,
  newWorld,
  organizationOf,
  perform,
  projectId,
  projectOf,
  scheduleOf,
  table,
  tenant,
} from '../../../harness/env/schedule-env.ts';

beforeEach(newWorld);

const change = async (schedule: ScheduleRecord, given: object): Promise<void> =>
  commit((await changeSchedule(acting, scheduleOf(schedule), projectOf(), given, clock.now())).change.writes);
const nameOf = ({ id }: ScheduleRecord): string => `${tenant.organizationId}.${id}`;

test('a new schedule is entered as it says, and the Scheduler puts in the moment', async () => {
  const schedule = await addSchedule({ cron: '30 2 * * mon-fri', timezone: 'Europe/Berlin' });
  await drain();
  const [entry, ...others] = entries.values();
  equal(others.length, 0);
  const { name, expression, timezone, body } = entry!;
  deepEqual(
    { name, expression, timezone },
    { name: nameOf(schedule), expression: 'cron(30 2 ? * 2,3,4,5,6 *)', timezone: 'Europe/Berlin' },
  );
  ok(name.length <= 62 && /^[0-9a-zA-Z-_.]+$/.test(name), 'two more characters fit the 64 that a name may have');
  deepEqual(JSON.parse(body).task, { kind: 'run-schedule', scheduleId: schedule.id, at: '<aws.scheduler.scheduled-time>' });
  equal(scheduleOf(schedule).enteredRevision, 1);
});

test('entries follow a change of expression, go while it is paused, and come back with it', async () => {
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
  deepEqual(dueNotes(), []);
  await change(schedule, { enabled: true });
  await drain();
  equal(entries.size, 1);
  deepEqual(dueNotes(), [scheduleOf(schedule).nextRunAt]);
});

test('a removed schedule leaves neither entry nor note', async () => {
  const schedule = await addSchedule();
  await drain();
  await commit(removeSchedule(acting, scheduleOf(schedule), projectOf(), clock.now()).writes);
  await drain();
  equal(entries.size, 0);
  deepEqual(dueNotes(), []);
});

test('a change that comes while entries are made is seen by whoever makes them', async () => {
  const schedule = await addSchedule();
  let isChanged = false;
  await syncSchedule(tenant, schedule.id, clock, {
    ...doors,
    put: async (entry) => {
      await doors.put(entry);
      if (!isChanged) await change(schedule, { enabled: false });
      isChanged = true;
    },
  });
  equal(entries.size, 0);
  equal(scheduleOf(schedule).enteredRevision, 2);
});

for (const what of ['schedule', 'organization', 'project'] as const) {
  test(`entries that are made while the ${what} is deleted do not stay`, async () => {
    const schedule = await addSchedule();
    await syncSchedule(tenant, schedule.id, clock, {
      ...doors,
      put: async (entry) => {
        await doors.put(entry);
        const key = projectKey.project(tenant, projectId);
        if (what === 'organization') table.put({ ...organizationOf(), deletedAt: '2026-03-01T12:00:00.000Z' });
        if (what === 'project') table.items.delete(`${key.pk}\n${key.sk}`);
        if (what === 'schedule') table.items.delete(`${schedule.pk}\n${schedule.sk}`);
      },
    });
    equal(entries.size, 0);
  });
}

test('deleting an organization stops its schedules; recovering it brings them back, from then on', async () => {
  const [one, other] = [await addSchedule(), await addSchedule({ cron: '0 5 * * *' })];
  const paused = await addSchedule({ enabled: false });
  await drain();
  equal(entries.size, 2);
  table.put({ ...table.get(organizationKey.organization(tenant)), deletedAt: '2026-03-01T12:00:00.000Z' });
  await perform(messageOf({ kind: 'sync-schedules' }));
  equal(entries.size, 0);
  deepEqual(dueNotes(), []);
  at('2026-03-09T12:00:00.000Z');
  const { deletedAt: _, ...recovered } = table.get(organizationKey.organization(tenant))!;
  table.put({ ...recovered } as never);
  await perform(messageOf({ kind: 'sync-schedules' }));
  equal(entries.size, 2);
  equal(scheduleOf(one).nextRunAt, '2026-03-10T03:00:00.000Z');
  equal(scheduleOf(other).nextRunAt, '2026-03-10T05:00:00.000Z');
  equal(scheduleOf(paused).nextRunAt, null);
  deepEqual([...dueNotes()].sort(), ['2026-03-10T03:00:00.000Z', '2026-03-10T05:00:00.000Z']);
});

test('deleting a project removes its schedules with their entries, and tells of each; those of others stay', async () => {
  await addSchedule({ cron: '0 3 1 * mon' });
  await addSchedule({ enabled: false });
  await drain();
  const other = await addSchedule();
  table.put({ ...scheduleOf(other), projectId: 'prj_other' });
  await commit(removeProject(acting, projectOf(), clock.now()).writes);
  await drain();
  deepEqual(
    events().map(({ type }) => type),
    ['schedule.deleted', 'schedule.deleted'],
  );
  equal(table.find(`ORG#${tenant.organizationId}`, 'SCHEDULE#').length, 1);
  equal(entries.size, 0, 'the other one has none because its project is not there');
  equal(table.get(organizationKey.organization(tenant))?.scheduleCount, 1);
});

test('a walk that runs out of time goes on where it stopped', async () => {
  for (let n = 0; n < 5; n++) await addSchedule();
  await drain();
  entries.clear();
  let looks = 0;
  const slow = { now: () => new Date(Date.parse('2026-03-01T12:00:00.000Z') + looks++ * 400) };
  await syncSchedules(tenant, {}, new Date('2026-03-01T12:00:01.000Z'), slow, doors);
  ok(entries.size < 5);
  await drain();
  equal(entries.size, 5);
});

test('a purge leaves nothing of schedules: no entry, no note, no record', async () => {
  await addSchedule({ cron: '0 3 1 * mon' });
  await addSchedule();
  await drain();
  equal(entries.size, 3);
  const past = new Date('2026-03-01T11:00:00.000Z');
  equal(await purgeSchedules(tenant, past, clock, doors.remove), false);
  equal(await purgeSchedules(tenant, new Date('2026-03-01T13:00:00.000Z'), clock, doors.remove), true);
  equal(entries.size, 0);
  deepEqual(dueNotes(), []);
  equal(table.find(`ORG#${tenant.organizationId}`, 'SCHEDULE#').length, 0);
});
