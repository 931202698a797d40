/** A schedule after its backups end: failing until one succeeds, reported as overdue once per outage. */
import { deepEqual, equal } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { type BackupRecord, backupKey } from '../../../../shared/backup/index.ts';
import { commit, newId } from '../../../../shared/platform/index.ts';
import { type ScheduleRecord, startScheduledBackup } from '../../../../shared/schedule/index.ts';
import {
  addSchedule,
  at,
  caller,
  clock,
  end,
  eventSummaries,
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
const record = (schedule: ScheduleRecord, backup: BackupRecord): Promise<unknown> =>
  perform(messageOf({ kind: 'schedule-outcome', scheduleId: schedule.id, backupId: backup.id }));

test('outcome: a completed backup is the last success', async () => {
  const schedule = await addSchedule();
  await run(schedule, 2);
  const { lastSuccessAt, failing } = scheduleOf(schedule);
  equal(lastSuccessAt, '2026-03-02T03:10:00.000Z');
  equal(failing, null);
});

test('outcome: a failed backup emits one event, however often it is recorded, and the next success clears the failure', async () => {
  const schedule = await addSchedule();
  const backup = await run(schedule, 2, refused);
  await Promise.all([record(schedule, backup), record(schedule, backup)]);
  deepEqual(eventSummaries(), ['triggered', 'failed failed STORAGE_UPLOAD_ERROR']);
  const failure = events()[1]?.data;
  equal(failure?.backupId, backup.id);
  equal(failure?.scheduledFor, night(2));
  deepEqual(scheduleOf(schedule).failing, {
    since: '2026-03-02T03:10:00.000Z',
    reason: 'failed',
    code: refused.code,
    message: refused.message,
  });
  await run(schedule, 3, refused);
  equal(scheduleOf(schedule).failing?.since, '2026-03-02T03:10:00.000Z');
  await run(schedule, 4);
  equal(scheduleOf(schedule).failing, null);
});

test('outcome: an earlier success that is recorded late does not hide a later failure', async () => {
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

test('outcome: a cancelled backup is no failure', async () => {
  const schedule = await addSchedule();
  await run(schedule, 2, { code: 'CANCELLED', message: 'The backup was cancelled by a person' });
  deepEqual(eventSummaries(), ['triggered']);
  equal(scheduleOf(schedule).failing, null);
});

test('outcome: after two runs without success the third reports once that the schedule is overdue, until one succeeds', async () => {
  const schedule = await addSchedule();
  await run(schedule, 2);
  for (const day of [3, 4]) await run(schedule, day, refused);
  equal(eventSummaries().filter((word) => word.includes('overdue')).length, 0);
  at(night(5));
  await tickAt(schedule, night(5));
  equal(eventSummaries().filter((word) => word === 'failed overdue SCHEDULE_OVERDUE').length, 1);
  equal(scheduleOf(schedule).failing?.reason, 'overdue');
  await end(lastBackup(), refused);
  for (const day of [6, 7]) await run(schedule, day, refused);
  equal(eventSummaries().filter((word) => word.includes('overdue')).length, 1);
  await run(schedule, 8);
  for (const day of [9, 10, 11]) await run(schedule, day, refused);
  equal(eventSummaries().filter((word) => word.includes('overdue')).length, 2);
});

test('outcome: missed runs make a schedule overdue, too', async () => {
  const schedule = await addSchedule();
  await run(schedule, 2);
  at('2026-03-05T12:00:00.000Z');
  await tickAt(schedule, night(3));
  deepEqual(eventSummaries(), ['triggered', 'failed missed SCHEDULE_MISSED', 'failed overdue SCHEDULE_OVERDUE']);
});

test('outcome: a manual run counts as a run of the schedule', async () => {
  const schedule = await addSchedule({ enabled: false });
  const start = { trigger: 'manual', createdBy: { type: 'user', id: userId } } as const;
  const context = { ...caller, project: projectOf(), schedule };
  const { backup, writes } = await startScheduledBackup(context, start, clock.now());
  await commit(writes);
  equal(backup.trigger, 'manual');
  equal(scheduleOf(schedule).lastBackupId, backup.id);
  await end(lastBackup());
  equal(scheduleOf(schedule).lastSuccessAt, lastBackup().completedAt);
  deepEqual(eventSummaries(), ['triggered']);
});

test('outcome: a synthetic full is no success of the schedule', async () => {
  const schedule = await addSchedule();
  await run(schedule, 2, refused);
  const { outcomeTold: _, ...failed } = lastBackup();
  await end({ ...failed, synthesizedFrom: failed.id });
  equal(scheduleOf(schedule).lastSuccessAt, null);
});
