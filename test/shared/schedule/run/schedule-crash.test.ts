/**
 * The worker crashes before or after each visible effect, and its message is delivered again. At
 * every such moment: one backup per due time, one event of each kind, and Scheduler entries that match the schedule.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { commit } from '../../../../shared/platform/index.ts';
import { projectKey, removeProject } from '../../../../shared/project/index.ts';
import type { ScheduleRecord } from '../../../../shared/schedule/index.ts';
import {
  addSchedule,
  at,
  backups,
  caller,
  clock,
  drain,
  dueTimes,
  end,
  entries,
  eventSummaries,
  lastBackup,
  messageOf,
  newWorld,
  pass,
  projectId,
  projectOf,
  scheduleOf,
  setMachine,
  table,
  tenant,
  waiting,
  watch,
} from '../../../harness/env/schedule-env.ts';
import { CrashInjector } from '../../../harness/faults/crash-injector.ts';

const night = '2026-03-02T03:00:00.000Z';
const lockKey = projectKey.job(tenant, projectId);
const sendTick = ({ id }: ScheduleRecord): void => {
  waiting.push({
    body: JSON.stringify(messageOf({ kind: 'run-schedule', scheduleId: id, at: night })),
    dueMs: Date.parse(night),
  });
};

interface Story {
  /** Runs without crashes. */
  before(): Promise<ScheduleRecord>;
  /** Enqueues the messages whose worker crashes. */
  after(schedule: ScheduleRecord): void | Promise<void>;
}

const stories: Readonly<Record<string, Story & { check(schedule: ScheduleRecord): void }>> = {
  'the first sync of a schedule': {
    before: () => addSchedule({ cron: '0 3 1 * mon' }),
    after: () => undefined,
    check: (schedule) => {
      equal(entries.size, 2);
      equal(scheduleOf(schedule).enteredRevision, 1);
      deepEqual(dueTimes(), [scheduleOf(schedule).nextRunAt]);
    },
  },
  'a tick that starts a backup': {
    before: async () => {
      const schedule = await addSchedule();
      await drain();
      at(night);
      return schedule;
    },
    after: sendTick,
    check: (schedule) => {
      equal(backups().length, 1);
      deepEqual(eventSummaries(), ['triggered']);
      deepEqual(dueTimes(), [scheduleOf(schedule).nextRunAt]);
    },
  },
  'a tick of a project that must be reconnected': {
    before: async () => {
      const schedule = await addSchedule();
      await drain();
      table.put(projectOf({ status: 'unauthorized' }));
      at(night);
      return schedule;
    },
    after: sendTick,
    check: () => {
      equal(backups().length, 0);
      deepEqual(eventSummaries(), ['failed failed SOURCE_AUTH_ERROR']);
    },
  },
  'a postponed tick': {
    before: async () => {
      const schedule = await addSchedule();
      await drain();
      at(night);
      table.put({ ...lockKey, jobId: 'rst_1', kind: 'restore', since: night });
      return schedule;
    },
    after: sendTick,
    check: (schedule) => {
      ok(waiting.length >= 1, 'the tick is in the queue');
      equal(scheduleOf(schedule).nextRunAt, night);
    },
  },
  'the outcome of a failed backup': {
    before: async () => {
      const schedule = await addSchedule();
      sendTick(schedule);
      at(night);
      await drain();
      pass(60);
      return schedule;
    },
    after: () => end(lastBackup(), { code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket refuses' }),
    check: (schedule) => {
      deepEqual(eventSummaries(), ['triggered', 'failed failed STORAGE_UPLOAD_ERROR']);
      equal(scheduleOf(schedule).failing?.reason, 'failed');
    },
  },
  'the deletion of a project': {
    before: async () => {
      const schedule = await addSchedule({ cron: '0 3 1 * mon' });
      await addSchedule();
      await drain();
      await commit(removeProject(caller, projectOf(), clock.now()).writes);
      return schedule;
    },
    after: () => undefined,
    check: () => {
      equal(entries.size, 0);
      deepEqual(dueTimes(), []);
      deepEqual(eventSummaries(), ['deleted', 'deleted']);
      equal(table.find(`ORG#${tenant.organizationId}`, 'SCHEDULE#').length, 0);
    },
  },
};

const play = async ({ before, after }: Story, machine: CrashInjector): Promise<ScheduleRecord> => {
  newWorld();
  const schedule = await before();
  setMachine(machine);
  await after(schedule);
  await drain();
  return schedule;
};

for (const [what, story] of Object.entries(stories)) {
  test(`schedule crash: ${what} survives a crash at every effect`, async () => {
    const whole = new CrashInjector();
    story.check(await play(story, whole));
    ok(whole.effects > 0);
    for (let at = 1; at <= whole.effects; at++)
      for (const when of ['before', 'after'] as const) {
        const machine = new CrashInjector(at, when);
        const schedule = await play(story, machine);
        ok(machine.isDead, `effect ${at} was not reached`);
        story.check(schedule);
      }
  });
}

test('schedule crash: after a crash of the watchdog at any effect the next run handles what is due', async () => {
  const whole = new CrashInjector();
  const prepare = async (machine: CrashInjector): Promise<void> => {
    newWorld();
    await addSchedule();
    await drain();
    at('2026-03-02T03:04:00.000Z');
    setMachine(machine);
    await watch().catch(() => undefined);
  };
  await prepare(whole);
  for (let n = 1; n <= whole.effects; n++)
    for (const when of ['before', 'after'] as const) {
      await prepare(new CrashInjector(n, when));
      setMachine(new CrashInjector());
      pass(300);
      await watch();
      await drain();
      equal(backups().length, 1);
      deepEqual(eventSummaries(), ['triggered']);
    }
});
