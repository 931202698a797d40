/** Schedules move with their project: each is in exactly one organization and due as before, after a crash at any write, too. */
import { deepEqual, equal } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import type { Task } from '../../../shared/event/index.ts';
import { finishOrRevertMove, type MoveCaller, moveProject } from '../../../shared/move/index.ts';
import { organizationKey } from '../../../shared/organization/index.ts';
import { type Item, iso, newId, type Tenant, unsafeTenant } from '../../../shared/platform/index.ts';
import type { MoveRecord } from '../../../shared/project/index.ts';
import { syncAllRestoreTests } from '../../../shared/restore-test/index.ts';
import { restoreTestKey } from '../../../shared/restore-test/model/record.ts';
import { type ScheduleRecord, scheduleKey } from '../../../shared/schedule/index.ts';
import { scheduleWrites } from '../../../shared/schedule/model/schedule-kind.ts';
import {
  createMoveEnv,
  destination,
  from,
  moveCaller,
  organizationOf,
  projectId,
  start,
  stopEnv,
  to,
  used,
} from '../../harness/env/move-env.ts';
import { CrashInjector } from '../../harness/faults/crash-injector.ts';
import type { InMemoryTable } from '../../harness/table/in-memory-table.ts';

afterAll(stopEnv);
const time = { now: () => start };

const nextRunAt = '2026-01-02T03:00:00.000Z';
const putSchedule = (table: InMemoryTable, more: Partial<ScheduleRecord> = {}): ScheduleRecord => {
  const id = newId('schedule', start);
  const schedule = {
    ...scheduleKey.schedule(from, id),
    ...{ id, projectId, name: 'Nightly', cron: '0 3 * * *', timezone: 'UTC', type: 'full', enabled: true, retention: null },
    ...{ retentionPolicy: null, collections: ['*'], excludeCollections: [], includeAuthUsers: false, storageDestinationId: used },
    ...{ nextRunAt, lastRunAt: null, lastBackupId: null, lastSuccessAt: null, failing: null, createdAt: iso(start) },
    ...{ updatedAt: iso(start), createdBy: { id: 'usr_1', email: null }, revision: 4, enteredRevision: 4, lastTick: null },
    ...more,
  } as ScheduleRecord;
  table.put(schedule);
  for (const write of scheduleWrites.create(from, schedule)) if ('put' in write) table.put(write.put);
  return schedule;
};
const newSchedules = async () => {
  const table = await createMoveEnv(1);
  const schedules = [
    putSchedule(table),
    putSchedule(table, { enabled: false, nextRunAt: null }),
    putSchedule(table, { storageDestinationId: null }),
  ];
  const other = putSchedule(table, { projectId: newId('project') });
  table.put({ ...organizationOf(from), scheduleCount: 4 });
  return { table, schedules, other };
};

const idsIn = (table: InMemoryTable, { organizationId }: Tenant): readonly unknown[] =>
  table.find(`ORG#${organizationId}`, 'SCHEDULE#').map(({ id }) => id);
const tasksIn = (table: InMemoryTable, { organizationId }: Tenant): number =>
  table.find(`ORG#${organizationId}`, 'TASK#').filter(({ queue }) => queue === 'schedule').length;

const check = (table: InMemoryTable, schedules: readonly ScheduleRecord[], other: ScheduleRecord): void => {
  const ids = schedules.map(({ id }) => id);
  deepEqual([idsIn(table, from), [...idsIn(table, to)].sort()], [[other.id], ids.toSorted()]);
  const [one, paused] = ids.map((id) => table.get<ScheduleRecord>(scheduleKey.schedule(to, id ?? '')));
  deepEqual([one?.nextRunAt, one?.enteredRevision, paused?.nextRunAt], [nextRunAt, 0, null]);
  deepEqual(
    table
      .find('DUE#SCHEDULE')
      .map(({ sk }) => sk)
      .sort(),
    [schedules[0], schedules[2]]
      .map((schedule) => `${nextRunAt}#${to.organizationId}#${schedule?.id}`)
      .concat(`${nextRunAt}#${from.organizationId}#${other.id}`)
      .sort(),
  );
  const counts = [from, to].map((side) => table.get<Item>(organizationKey.organization(side))?.scheduleCount);
  deepEqual(counts, [1, 3]);
  // Each organization has tasks for its own Scheduler entries, which have different names, and one for its restore tests.
  deepEqual([tasksIn(table, from), tasksIn(table, to)], [4, 4]);
  const eventsIn = (side: Tenant) =>
    table.find(`ORG#${side.organizationId}`, 'EVENT#').filter(({ type }) => String(type).startsWith('schedule.'));
  deepEqual(
    [eventsIn(from), eventsIn(to)].map((events) => events.map(({ type }) => type)),
    [Array(3).fill('schedule.deleted'), Array(3).fill('schedule.created')],
  );
};

test('moveProject: schedules move along, due as before, with the destinations they name', async () => {
  const { table, schedules, other } = await newSchedules();
  const named = newId('storageDestination');
  table.put(await destination(named, 0));
  table.put({ ...schedules[0]!, storageDestinationId: named });
  await moveProject(moveCaller(), { projectId, organizationId: to.organizationId, time });
  check(table, schedules, other);
  equal(table.get<ScheduleRecord>(scheduleKey.schedule(to, schedules[0]!.id))?.storageDestinationId, named);
  equal(table.get(organizationKey.storageDestination(to, named))?.id, named);
});

test('finishMove: a restore test of a project that comes back runs again, and pauses while the project is away', async () => {
  const table = await createMoveEnv(1);
  const id = newId('restoreTest', start);
  const plan = { id, projectId, cron: '0 4 * * *', timezone: 'UTC', enabled: true, nextRunAt, revision: 1, enteredRevision: 1 };
  table.put({ ...restoreTestKey.plan(from, id), ...plan });
  const entries = { put: async () => undefined, remove: async () => undefined };
  const moveTo = async (caller: MoveCaller, side: Tenant): Promise<unknown> => {
    await moveProject(caller, { projectId, organizationId: side.organizationId, time });
    await syncAllRestoreTests(from, { projectId, isDeleted: false, time, entries });
    return table.get<Item>(restoreTestKey.plan(from, id))?.nextRunAt;
  };
  const syncs = () => table.find(`ORG#${from.organizationId}`, 'TASK#').filter(({ message }) => String(message).includes(sync));
  const sync = JSON.stringify({ kind: 'sync-schedules', projectId } satisfies Task);
  equal(await moveTo(moveCaller(), to), null);
  equal(await moveTo({ ...moveCaller(), tenant: to, organization: organizationOf(to) }, from), '2026-01-02T04:00:00.000Z');
  equal(syncs().length, 2);
});

test('finishOrRevertMove: after a crash at any write each schedule is moved once', async () => {
  const whole = new CrashInjector();
  const begin = async (machine: CrashInjector) => {
    const made = await newSchedules();
    made.table.onWrite = (when) => machine.atWrite(when);
    made.table.onRead = () => machine.atRead();
    await moveProject(moveCaller(), { projectId, organizationId: to.organizationId, time }).catch(() => undefined);
    made.table.onWrite = () => undefined;
    made.table.onRead = () => undefined;
    return made;
  };
  await begin(whole);
  // The last effects move the schedules and finish the move.
  for (let at = whole.effects - 6; at <= whole.effects; at++)
    for (const when of ['before', 'after'] as const) {
      const { table, schedules, other } = await begin(new CrashInjector(at, when));
      const [move] = table.find(`ORG#${from.organizationId}`, 'MOVE#') as unknown as readonly MoveRecord[];
      const later = { now: () => new Date(start.getTime() + 120_000) };
      const task = { projectId, moveId: move?.id ?? '' };
      if (move)
        await finishOrRevertMove(from, {
          task,
          tenantOf: (id) => unsafeTenant(id, 'record'),
          until: new Date(start.getTime() + 180_000),
          time: later,
        });
      if (idsIn(table, to).length > 0) check(table, schedules, other);
      else equal(idsIn(table, from).length, 4, 'reverted completely');
    }
});
