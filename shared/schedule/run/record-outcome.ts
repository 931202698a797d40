/** Records the outcome of a backup on its schedule. */
import { type BackupRecord, backupKey } from '../../backup/index.ts';
import {
  type Clock,
  clock,
  commit,
  get,
  retryOnConflict,
  StaleReadError,
  set,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import { isStaleContext, loadScheduleContext, type ScheduleContext } from '../model/schedule-context.ts';
import { type Failure, failingWith, failureEvent } from './failure-event.ts';

/**
 * A completed backup ends the schedule's failing state. A failed backup emits one event: the same transaction marks the backup as
 * recorded. A cancelled backup is no failure of the schedule, and a synthetic full says nothing of the source.
 */
export const recordOutcome = (tenant: Tenant, scheduleId: string, backupId: string, time: Clock = clock): Promise<void> =>
  retryOnConflict({ attempts: 8, isRetryable: isStaleContext }, async () => {
    const key = backupKey.backup(tenant, backupId);
    const [context, backup] = await Promise.all([loadScheduleContext(tenant, scheduleId), get(key)]);
    if (!context || !backup || backup.outcomeTold || backup.synthesizedFrom !== undefined) return;
    const writes = writesOf(context, backup, time.now());
    if (writes.length === 0) return;
    const onConditionFailed = () => new StaleReadError();
    await commit([...writes, set(key, { outcomeTold: true }, { expected: { outcomeTold: undefined }, onConditionFailed })]);
  });

const writesOf = (context: ScheduleContext, backup: BackupRecord, now: Date): readonly Write[] => {
  const { completedAt, error } = backup;
  if (completedAt === null) return [];
  if (error === null) return succeeded(context.schedule, completedAt);
  if (error.code === 'CANCELLED') return [];
  return failed(context, backup, error, now);
};

/** Outcomes may arrive out of order: that of an older backup does not override that of a newer one. */
const succeeded = (schedule: ScheduleRecord, completedAt: string): readonly Write[] => {
  const { lastSuccessAt, lastEndAt = '' } = schedule;
  const isLatestSuccess = lastSuccessAt === null || completedAt > lastSuccessAt;
  const attributes = {
    ...(isLatestSuccess && { lastSuccessAt: completedAt, runsSinceSuccess: 0, isOverdue: undefined }),
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
    ...(project && organization ? [failureEvent({ tenant, organization, project, schedule: after }, failure, now)] : []),
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
