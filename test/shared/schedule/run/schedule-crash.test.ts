/**
 * The worker crashes before or after each visible effect, and its message is delivered again. At
 * every such moment: one backup per due time, one event of each kind, and Scheduler entries that match the schedule.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { commit } from '../../../../shared/platform/index.ts';
import { projectKey, removeProject } from '../../../../shared/project/index.ts';
import type { ScheduleRecord } from '../../../../shared/schedule/index.ts';
import { createScheduleEnv } from '../../../harness/env/schedule-env.ts';
import { CrashInjector } from '../../../harness/faults/crash-injector.ts';

const t = createScheduleEnv();

const night = '2026-03-02T03:00:00.000Z';
const lockKey = projectKey.job(t.tenant, t.projectId);
const sendTick = ({ id }: ScheduleRecord): void => {
  t.waiting.push({
    body: JSON.stringify(t.messageOf({ kind: 'run-schedule', scheduleId: id, at: night })),
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
    before: () => t.addSchedule({ cron: '0 3 1 * mon' }),
    after: () => undefined,
    check: (schedule) => {
      equal(t.entries.size, 2);
      equal(t.scheduleOf(schedule).enteredRevision, 1);
      deepEqual(t.dueTimes(), [t.scheduleOf(schedule).nextRunAt]);
    },
  },
  'a tick that starts a backup': {
    before: async () => {
      const schedule = await t.addSchedule();
      await t.drain();
      t.at(night);
      return schedule;
    },
    after: sendTick,
    check: (schedule) => {
      equal(t.backups().length, 1);
      deepEqual(t.eventSummaries(), ['triggered']);
      deepEqual(t.dueTimes(), [t.scheduleOf(schedule).nextRunAt]);
    },
  },
  'a tick of a project that must be reconnected': {
    before: async () => {
      const schedule = await t.addSchedule();
      await t.drain();
      t.table.put(t.projectOf({ status: 'unauthorized' }));
      t.at(night);
      return schedule;
    },
    after: sendTick,
    check: () => {
      equal(t.backups().length, 0);
      deepEqual(t.eventSummaries(), ['failed failed SOURCE_AUTH_ERROR']);
    },
  },
  'a postponed tick': {
    before: async () => {
      const schedule = await t.addSchedule();
      await t.drain();
      t.at(night);
      t.table.put({ ...lockKey, jobId: 'rst_1', kind: 'restore', since: night });
      return schedule;
    },
    after: sendTick,
    check: (schedule) => {
      ok(t.waiting.length >= 1, 'the tick is in the queue');
      equal(t.scheduleOf(schedule).nextRunAt, night);
    },
  },
  'the outcome of a failed backup': {
    before: async () => {
      const schedule = await t.addSchedule();
      sendTick(schedule);
      t.at(night);
      await t.drain();
      t.pass(60);
      return schedule;
    },
    after: () => t.end(t.lastBackup(), { code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket refuses' }),
    check: (schedule) => {
      deepEqual(t.eventSummaries(), ['triggered', 'failed failed STORAGE_UPLOAD_ERROR']);
      equal(t.scheduleOf(schedule).failing?.reason, 'failed');
    },
  },
  'the deletion of a project': {
    before: async () => {
      const schedule = await t.addSchedule({ cron: '0 3 1 * mon' });
      await t.addSchedule();
      await t.drain();
      await commit(removeProject(t.caller, t.projectOf(), t.clock.now()).writes);
      return schedule;
    },
    after: () => undefined,
    check: () => {
      equal(t.entries.size, 0);
      deepEqual(t.dueTimes(), []);
      deepEqual(t.eventSummaries(), ['deleted', 'deleted']);
      equal(t.table.find(`ORG#${t.tenant.organizationId}`, 'SCHEDULE#').length, 0);
    },
  },
};

const play = async ({ before, after }: Story, machine: CrashInjector): Promise<ScheduleRecord> => {
  t.newWorld();
  const schedule = await before();
  t.setMachine(machine);
  await after(schedule);
  await t.drain();
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
    t.newWorld();
    await t.addSchedule();
    await t.drain();
    t.at('2026-03-02T03:04:00.000Z');
    t.setMachine(machine);
    await t.watch().catch(() => undefined);
  };
  await prepare(whole);
  for (let n = 1; n <= whole.effects; n++)
    for (const when of ['before', 'after'] as const) {
      await prepare(new CrashInjector(n, when));
      t.setMachine(new CrashInjector());
      t.pass(300);
      await t.watch();
      await t.drain();
      equal(t.backups().length, 1);
      deepEqual(t.eventSummaries(), ['triggered']);
    }
});
