/**
 * Whoever works dies before or after any single thing that others can see, and what it was given is given again to another. For
 * every such moment: one backup for every time it is due, one event of each kind, and the Scheduler has what the schedule says.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { commit } from '../../../shared/platform/index.ts';
import { projectKey, removeProject } from '../../../shared/project/index.ts';
import type { ScheduleRecord } from '../../../shared/schedule/index.ts';
import {
  acting,
  addSchedule,
  at,
  backups,
  clock,
  drain,
  dueNotes,
  end,
  entries,
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
  told,
  waiting,
  watch,
} from '../../harness/env/schedule-env.ts';
import { CrashInjector } from '../../harness/faults/crash-injector.ts';

const night = '2026-03-02T03:00:00.000Z';
const lockKey = projectKey.job(tenant, projectId);
const ring = ({ id }: ScheduleRecord): void => {
  waiting.push({
    body: JSON.stringify(messageOf({ kind: 'run-schedule', scheduleId: id, at: night })),
    dueMs: Date.parse(night),
  });
};

interface Story {
  /** By machines that live. */
  before(): Promise<ScheduleRecord>;
  /** What is left to do, by messages; the first machine dies in it. */
  after(schedule: ScheduleRecord): void | Promise<void>;
}

const stories: Readonly<Record<string, Story & { check(schedule: ScheduleRecord): void }>> = {
  'entering a schedule': {
    before: () => addSchedule({ cron: '0 3 1 * mon' }),
    after: () => undefined,
    check: (schedule) => {
      equal(entries.size, 2);
      equal(scheduleOf(schedule).enteredRevision, 1);
      deepEqual(dueNotes(), [scheduleOf(schedule).nextRunAt]);
    },
  },
  'a tick that starts a backup': {
    before: async () => {
      const schedule = await addSchedule();
      await drain();
      at(night);
      return schedule;
    },
    after: ring,
    check: (schedule) => {
      equal(backups().length, 1);
      deepEqual(told(), ['triggered']);
      deepEqual(dueNotes(), [scheduleOf(schedule).nextRunAt]);
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
    after: ring,
    check: () => {
      equal(backups().length, 0);
      deepEqual(told(), ['failed failed SOURCE_AUTH_ERROR']);
    },
  },
  'a tick that waits for a job': {
    before: async () => {
      const schedule = await addSchedule();
      await drain();
      at(night);
      table.put({ ...lockKey, jobId: 'rst_1', kind: 'restore', since: night });
      return schedule;
    },
    after: ring,
    check: (schedule) => {
      ok(waiting.length >= 1, 'the tick comes again');
      equal(scheduleOf(schedule).nextRunAt, night);
    },
  },
  'a failure that is told': {
    before: async () => {
      const schedule = await addSchedule();
      ring(schedule);
      at(night);
      await drain();
      pass(60);
      return schedule;
    },
    after: () => end(lastBackup(), { code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket refuses' }),
    check: (schedule) => {
      deepEqual(told(), ['triggered', 'failed failed STORAGE_UPLOAD_ERROR']);
      equal(scheduleOf(schedule).failing?.reason, 'failed');
    },
  },
  'the end of a project': {
    before: async () => {
      const schedule = await addSchedule({ cron: '0 3 1 * mon' });
      await addSchedule();
      await drain();
      await commit(removeProject(acting, projectOf(), clock.now()).writes);
      return schedule;
    },
    after: () => undefined,
    check: () => {
      equal(entries.size, 0);
      deepEqual(dueNotes(), []);
      deepEqual(told(), ['deleted', 'deleted']);
      equal(table.find(`ORG#${tenant.organizationId}`, 'SCHEDULE#').length, 0);
    },
  },
};

const tellOf = async ({ before, after }: Story, machine: CrashInjector): Promise<ScheduleRecord> => {
  newWorld();
  const schedule = await before();
  setMachine(machine);
  await after(schedule);
  await drain();
  return schedule;
};

for (const [what, story] of Object.entries(stories)) {
  test(`${what}: whoever dies at any moment, it comes right`, async () => {
    const whole = new CrashInjector();
    story.check(await tellOf(story, whole));
    ok(whole.effects > 0);
    for (let at = 1; at <= whole.effects; at++)
      for (const when of ['before', 'after'] as const) {
        const machine = new CrashInjector(at, when);
        const schedule = await tellOf(story, machine);
        ok(machine.isDead, `effect ${at} was not reached`);
        story.check(schedule);
      }
  });
}

test('a watch that dies at any moment leaves what is due to the next', async () => {
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
      deepEqual(told(), ['triggered']);
    }
});
