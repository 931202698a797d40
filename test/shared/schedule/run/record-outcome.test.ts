/** A schedule after its backups end: failing until one succeeds, reported as overdue once per outage. */
import { deepEqual, equal } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { commit, newId } from '../../../../shared/platform/index.ts';
import { type ScheduleRecord, showSchedule, startScheduledBackup } from '../../../../shared/schedule/index.ts';
import { type BackupRecord, backupKey } from '../../../../shared/stored-backup/index.ts';
import { createScheduleEnv } from '../../../harness/env/schedule-env.ts';

const t = createScheduleEnv();

beforeEach(t.newWorld);
const refused = { code: 'STORAGE_UPLOAD_ERROR', message: 'The bucket refuses' } as const;
const night = (day: number): string => `2026-03-${String(day).padStart(2, '0')}T03:00:00.000Z`;

/** One night: the backup starts, and ends ten minutes later. */
const run = async (schedule: ScheduleRecord, day: number, error: BackupRecord['error'] = null): Promise<BackupRecord> => {
  t.at(night(day));
  await t.tickAt(schedule, night(day));
  t.pass(600);
  await t.end(t.lastBackup(), error);
  return t.lastBackup();
};
const record = (schedule: ScheduleRecord, backup: BackupRecord): Promise<unknown> =>
  t.perform(t.messageOf({ kind: 'schedule-outcome', scheduleId: schedule.id, backupId: backup.id }));

test('outcome: a completed backup is the last success', async () => {
  const schedule = await t.addSchedule();
  await run(schedule, 2);
  const { lastSuccessAt, failing } = t.scheduleOf(schedule);
  equal(lastSuccessAt, '2026-03-02T03:10:00.000Z');
  equal(failing, null);
});

test('outcome: a failed backup emits one event, however often it is recorded, and the next success clears the failure', async () => {
  const schedule = await t.addSchedule();
  const backup = await run(schedule, 2, refused);
  await Promise.all([record(schedule, backup), record(schedule, backup)]);
  deepEqual(t.eventSummaries(), ['triggered', 'failed failed STORAGE_UPLOAD_ERROR']);
  const failure = t.events()[1]?.data;
  equal(failure?.backupId, backup.id);
  equal(failure?.scheduledFor, night(2));
  deepEqual(t.scheduleOf(schedule).failing, {
    since: '2026-03-02T03:10:00.000Z',
    reason: 'failed',
    code: refused.code,
    message: refused.message,
  });
  await run(schedule, 3, refused);
  equal(t.scheduleOf(schedule).failing?.since, '2026-03-02T03:10:00.000Z');
  await run(schedule, 4);
  equal(t.scheduleOf(schedule).failing, null);
});

test('outcome: an earlier success that is recorded late does not hide a later failure', async () => {
  const schedule = await t.addSchedule();
  await run(schedule, 3, refused);
  const { failing } = t.scheduleOf(schedule);
  const { outcomeTold: _, ...failed } = t.lastBackup();
  const id = newId('backup');
  const earlier = { ...failed, ...backupKey.backup(t.tenant, id), id, status: 'completed', completedAt: night(2), error: null };
  t.table.put(earlier);
  await t.perform(t.messageOf({ kind: 'schedule-outcome', scheduleId: schedule.id, backupId: id }));
  deepEqual(t.scheduleOf(schedule).failing, failing);
  equal(t.scheduleOf(schedule).lastSuccessAt, night(2));
});

test('outcome: a backup that lacks named collections sets a warning, audited once, until a backup lacks none', async () => {
  const schedule = await t.addSchedule({ collections: ['orders', 'typo'] });
  const audits = () => t.table.find(`AUDIT#${t.tenant.organizationId}`).filter(({ action }) => action === 'schedule.warning');
  for (const day of [2, 3]) {
    t.at(night(day));
    await t.tickAt(schedule, night(day));
    await t.end({ ...t.lastBackup(), unknownCollections: ['typo'] });
    const { warning, failing, lastBackupId } = t.scheduleOf(schedule);
    deepEqual(warning, {
      since: night(2),
      code: 'COLLECTION_NOT_FOUND',
      message: 'The schedule names collections that do not exist: typo',
      unknownCollections: ['typo'],
      backupId: lastBackupId,
    });
    equal(failing, null);
  }
  deepEqual(
    audits().map(({ details }) => (details as { unknownCollections: unknown }).unknownCollections),
    [['typo']],
  );
  await run(schedule, 4);
  equal(t.scheduleOf(schedule).warning, null);
});

test('outcome: a backup that failed because no named collection exists says so on the schedule and in the event', async () => {
  const schedule = await t.addSchedule({ collections: ['typo'] });
  const error = { code: 'COLLECTION_NOT_FOUND', message: 'None of the collections exists', details: { names: ['typo'] } };
  await run(schedule, 2, error as BackupRecord['error']);
  equal(t.scheduleOf(schedule).failing?.code, 'COLLECTION_NOT_FOUND');
  deepEqual(t.events().at(-1)?.data.error, error);
});

test('outcome: a cancelled backup is no failure', async () => {
  const schedule = await t.addSchedule();
  await run(schedule, 2, { code: 'CANCELLED', message: 'The backup was cancelled by a person' });
  deepEqual(t.eventSummaries(), ['triggered']);
  equal(t.scheduleOf(schedule).failing, null);
});

test('outcome: after two runs without success the third reports once that the schedule is overdue, until one succeeds', async () => {
  const schedule = await t.addSchedule();
  await run(schedule, 2);
  for (const day of [3, 4]) await run(schedule, day, refused);
  equal(t.eventSummaries().filter((word) => word.includes('overdue')).length, 0);
  t.at(night(5));
  await t.tickAt(schedule, night(5));
  equal(t.eventSummaries().filter((word) => word === 'failed overdue SCHEDULE_OVERDUE').length, 1);
  equal(t.scheduleOf(schedule).failing?.reason, 'overdue');
  await t.end(t.lastBackup(), refused);
  for (const day of [6, 7]) await run(schedule, day, refused);
  equal(t.eventSummaries().filter((word) => word.includes('overdue')).length, 1);
  await run(schedule, 8);
  for (const day of [9, 10, 11]) await run(schedule, day, refused);
  equal(t.eventSummaries().filter((word) => word.includes('overdue')).length, 2);
});

test('outcome: missed runs make a schedule overdue, too', async () => {
  const schedule = await t.addSchedule();
  await run(schedule, 2);
  t.at('2026-03-05T12:00:00.000Z');
  await t.tickAt(schedule, night(3));
  deepEqual(t.eventSummaries(), ['triggered', 'failed missed SCHEDULE_MISSED', 'failed overdue SCHEDULE_OVERDUE']);
});

test('outcome: a manual run counts as a run of the schedule', async () => {
  const schedule = await t.addSchedule({ enabled: false });
  const start = { trigger: 'manual', createdBy: { type: 'user', id: t.userId } } as const;
  const context = { ...t.caller, project: t.projectOf(), schedule };
  const { backup, writes } = await startScheduledBackup(context, start, t.clock.now());
  await commit(writes);
  equal(backup.trigger, 'manual');
  equal(t.scheduleOf(schedule).lastBackupId, backup.id);
  await t.end(t.lastBackup());
  equal(t.scheduleOf(schedule).lastSuccessAt, t.lastBackup().completedAt);
  deepEqual(t.eventSummaries(), ['triggered']);
});

test('outcome: a synthetic full is no success of the schedule', async () => {
  const schedule = await t.addSchedule();
  await run(schedule, 2, refused);
  const { outcomeTold: _, ...failed } = t.lastBackup();
  await t.end({ ...failed, synthesizedFrom: failed.id });
  equal(t.scheduleOf(schedule).lastSuccessAt, null);
});

test('outcome: the schedule shows how its last run ended', async () => {
  const schedule = await t.addSchedule();
  const outcome = () => showSchedule(t.tenant, t.scheduleOf(schedule)).then(({ lastOutcome }) => lastOutcome);
  equal(await outcome(), null);
  const failed = await run(schedule, 2, refused);
  const { code, message } = refused;
  const failure = { status: 'failed', at: '2026-03-02T03:10:00.000Z', backupId: failed.id, error: { code, message } };
  deepEqual(await outcome(), failure);
  await run(schedule, 3, { code: 'CANCELLED', message: 'cancelled' });
  deepEqual(await outcome(), failure);
  const { id: backupId } = await run(schedule, 4);
  deepEqual(await outcome(), { status: 'completed', at: '2026-03-04T03:10:00.000Z', backupId, error: null });
  t.at('2026-03-06T01:00:00.000Z');
  await t.tickAt(schedule, night(5));
  const missed = await outcome();
  deepEqual([missed?.status, missed?.backupId, missed?.error?.code], ['missed', null, 'SCHEDULE_MISSED']);
});

test('outcome: of a record of an earlier version its other attributes tell how the last run ended', async () => {
  const schedule = await t.addSchedule();
  await run(schedule, 2, refused);
  const { lastOutcome: _, ...earlier } = t.scheduleOf(schedule);
  const { code, message } = refused;
  const at = '2026-03-02T03:10:00.000Z';
  deepEqual((await showSchedule(t.tenant, earlier as ScheduleRecord)).lastOutcome, {
    status: 'failed',
    at,
    backupId: null,
    error: { code, message },
  });
  const succeeded = { ...earlier, failing: null, lastSuccessAt: at } as ScheduleRecord;
  deepEqual((await showSchedule(t.tenant, succeeded)).lastOutcome, { status: 'completed', at, backupId: null, error: null });
});
