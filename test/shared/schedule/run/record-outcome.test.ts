/** What becomes of a schedule as its backups end: failing until one succeeds, overdue told once for each outage. */
import { deepEqual, equal } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { type BackupRecord, backupKey } from '../../../../shared/backup/index.ts';
import { commit, newId } from '../../../../shared/platform/index.ts';
import { type ScheduleRecord, startScheduled } from '../../../../shared/schedule/index.ts';
import {
  acting,
  addSchedule,
  at,
  clock,
  end,
  events,
  lastBackup,
  messageOf,
  newWorld,
  pass,
  perform,
  projectOf,
  scheduleOf,
  table,
  tenant,
  tickAt,
  told,
  userId,
} from '../../../harness/env/schedule-env.ts';

beforeEach(newWorld);
const refused = { code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket refuses' } as const;
const night = (day: number): string => `2026-03-${String(day).padStart(2, '0')}T03:00:00.000Z`;

/** One night: the backup starts, and ends ten minutes later. */
const run = async (schedule: ScheduleRecord, day: number, error: BackupRecord['error'] = null): Promise<BackupRecord> => {
  at(night(day));
  await tickAt(schedule, night(day));
  pass(600);
  await end(lastBackup(), error);
  return lastBackup();
};
const hear = (schedule: ScheduleRecord, backup: BackupRecord): Promise<unknown> =>
  perform(messageOf({ kind: 'schedule-outcome', scheduleId: schedule.id, backupId: backup.id }));

test('a backup that completes is the last success', async () => {
  const schedule = await addSchedule();
  await run(schedule, 2);
  const { lastSuccessAt, failing } = scheduleOf(schedule);
  equal(lastSuccessAt, '2026-03-02T03:10:00.000Z');
  equal(failing, null);
});

test('a backup that fails is told of once, however often its end is heard, and the next success ends it', async () => {
  const schedule = await addSchedule();
  const backup = await run(schedule, 2, refused);
  await Promise.all([hear(schedule, backup), hear(schedule, backup)]);
  deepEqual(told(), ['triggered', 'failed failed STORAGE_UPLOAD_ERROR']);
  const failure = events()[1]?.data;
  equal(failure?.backupId, backup.id);
  equal(failure?.scheduledFor, night(2));
  deepEqual(scheduleOf(schedule).failing, {
    ...{ since: '2026-03-02T03:10:00.000Z', reason: 'failed', code: refused.code, message: refused.message },
  });
  await run(schedule, 3, refused);
  equal(scheduleOf(schedule).failing?.since, '2026-03-02T03:10:00.000Z');
  await run(schedule, 4);
  equal(scheduleOf(schedule).failing, null);
});

test('news of an earlier success that comes late does not hide a later failure', async () => {
  const schedule = await addSchedule();
  await run(schedule, 3, refused);
  const { failing } = scheduleOf(schedule);
  const { outcomeTold: _, ...failed } = lastBackup();
  const id = newId('backup');
  const earlier = { ...failed, ...backupKey.backup(tenant, id), id, status: 'completed', completedAt: night(2), error: null };
  table.put(earlier);
  await perform(messageOf({ kind: 'schedule-outcome', scheduleId: schedule.id, backupId: id }));
  deepEqual(scheduleOf(schedule).failing, failing);
  equal(scheduleOf(schedule).lastSuccessAt, night(2));
});

test('what a person cancelled is no failure', async () => {
  const schedule = await addSchedule();
  await run(schedule, 2, { code: 'CANCELLED', message: 'The backup was cancelled by a person' });
  deepEqual(told(), ['triggered']);
  equal(scheduleOf(schedule).failing, null);
});

test('when two runs in a row did not succeed, the time of the third tells once that it is overdue, until one succeeds', async () => {
  const schedule = await addSchedule();
  await run(schedule, 2);
  for (const day of [3, 4]) await run(schedule, day, refused);
  equal(told().filter((word) => word.includes('overdue')).length, 0);
  at(night(5));
  await tickAt(schedule, night(5));
  equal(told().filter((word) => word === 'failed overdue SCHEDULE_OVERDUE').length, 1);
  equal(scheduleOf(schedule).failing?.reason, 'overdue');
  await end(lastBackup(), refused);
  for (const day of [6, 7]) await run(schedule, day, refused);
  equal(told().filter((word) => word.includes('overdue')).length, 1);
  await run(schedule, 8);
  for (const day of [9, 10, 11]) await run(schedule, day, refused);
  equal(told().filter((word) => word.includes('overdue')).length, 2);
});

test('runs that were never begun are overdue as well', async () => {
  const schedule = await addSchedule();
  await run(schedule, 2);
  at('2026-03-05T12:00:00.000Z');
  await tickAt(schedule, night(3));
  deepEqual(told(), ['triggered', 'failed missed SCHEDULE_MISSED', 'failed overdue SCHEDULE_OVERDUE']);
});

test('a backup that was triggered by hand counts as one of its own', async () => {
  const schedule = await addSchedule({ enabled: false });
  const start = { trigger: 'manual', createdBy: { type: 'user', id: userId } } as const;
  const place = { ...acting, project: projectOf(), schedule };
  const { backup, writes } = await startScheduled(place, start, clock.now());
  await commit(writes);
  equal(backup.trigger, 'manual');
  equal(scheduleOf(schedule).lastBackupId, backup.id);
  await end(lastBackup());
  equal(scheduleOf(schedule).lastSuccessAt, lastBackup().completedAt);
  deepEqual(told(), ['triggered']);
});

test('a full backup that was made of what an earlier one holds says nothing of the source', async () => {
  const schedule = await addSchedule();
  await run(schedule, 2, refused);
  const { outcomeTold: _, ...failed } = lastBackup();
  await end({ ...failed, synthesizedFrom: failed.id });
  equal(scheduleOf(schedule).lastSuccessAt, null);
});
