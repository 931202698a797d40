/** What the end of a backup says of its schedule. */
import { type BackupRecord, backupKey } from '../../backup/index.ts';
import { type Clock, clock, commit, get, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import { readAround, type ScheduleContext } from '../model/schedule-context.ts';
import { isOvertaken } from '../sync/sync-schedule.ts';
import { type Failure, failingWith, tellFailure } from './failure-event.ts';

const triesMax = 8;

/**
 * A backup that was completed ends whatever was failing; one that failed is told of, once: that it was is written on the backup in
 * the same transaction. What a person cancelled is no failure of the schedule, and what was made of another backup's contents
 * says nothing of the source.
 */
export const recordOutcome = async (tenant: Tenant, scheduleId: string, backupId: string, time: Clock = clock): Promise<void> => {
  for (let tries = 1; ; tries++) {
    const [around, found] = await Promise.all([readAround(tenant, scheduleId), get(backupKey.backup(tenant, backupId))]);
    const backup = found as BackupRecord | undefined;
    if (!around || !backup || backup.outcomeTold || backup.synthesizedFrom !== undefined) return;
    const writes = writesOf(around, backup, time.now());
    if (writes.length === 0) return;
    try {
      return await commit([...writes, toldOf(tenant, backupId)]);
    } catch (error) {
      if (!isOvertaken(error) || tries === triesMax) throw error;
    }
  }
};

const toldOf = (tenant: Tenant, backupId: string): Write =>
  set(
    backupKey.backup(tenant, backupId),
    { outcomeTold: true },
    { expected: { outcomeTold: undefined }, onConditionFailed: () => new StaleReadError() },
  );

const writesOf = (around: ScheduleContext, backup: BackupRecord, now: Date): readonly Write[] => {
  const { completedAt, error } = backup;
  if (completedAt === null) return [];
  if (error === null) return succeeded(around.schedule, completedAt);
  if (error.code === 'CANCELLED') return [];
  return failed(around, backup, error, now);
};

/** News of an older backup may come after that of a later one, and changes nothing of what that said. */
const succeeded = (schedule: ScheduleRecord, completedAt: string): readonly Write[] => {
  const { lastSuccessAt, lastEndAt = '' } = schedule;
  const attributes = {
    ...((lastSuccessAt === null || completedAt > lastSuccessAt) && {
      ...{ lastSuccessAt: completedAt, runsSinceSuccess: 0, isOverdue: undefined },
    }),
    ...(completedAt > lastEndAt && { lastEndAt: completedAt, failing: null }),
  };
  return Object.keys(attributes).length === 0 ? [] : [updated(schedule, attributes)];
};

const failed = (
  { tenant, schedule, project, organization }: ScheduleContext,
  { id, trigger, completedAt }: BackupRecord,
  error: Failure['error'],
  now: Date,
): readonly Write[] => {
  const isRun = trigger === 'scheduled' && schedule.lastBackupId === id;
  const failure: Failure = { reason: 'failed', scheduledFor: isRun ? schedule.lastTick : null, backupId: id, error };
  const isLast = (completedAt ?? '') > (schedule.lastEndAt ?? '');
  const attributes = { lastEndAt: completedAt, failing: failingWith(schedule, failure, now) };
  const after: ScheduleRecord = isLast ? { ...schedule, failing: attributes.failing } : schedule;
  return [
    ...(isLast ? [updated(schedule, attributes)] : []),
    ...(project && organization ? [tellFailure({ tenant, organization, project, schedule: after }, failure, now)] : []),
  ];
};

const updated = (
  { pk, sk, lastSuccessAt, lastEndAt, nextRunAt }: ScheduleRecord,
  attributes: Readonly<Record<string, unknown>>,
): Write =>
  set({ pk, sk }, attributes, {
    expected: { lastSuccessAt, lastEndAt, nextRunAt },
    onConditionFailed: () => new StaleReadError(),
  });
