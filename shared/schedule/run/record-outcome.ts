/** Records the outcome of a backup on its schedule. */
import { isDeepStrictEqual } from 'node:util';
import { auditNote, systemAudit } from '../../audit/index.ts';
import {
  type Clock,
  clock,
  commit,
  get,
  iso,
  retryOnConflict,
  StaleReadError,
  set,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import { isStaleContext } from '../../recurring/index.ts';
import { type BackupRecord, backupKey } from '../../stored-backup/index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import { loadScheduleContext, type ScheduleContext } from '../model/schedule-context.ts';
import { failingWith, failureEvent, type ScheduleFailure } from './failure-event.ts';

/**
 * A completed backup ends the schedule's failing state, and sets its warning if collections that it names do not exist. A failed backup emits one event: the same transaction marks the backup as
 * recorded. A cancelled backup is no failure of the schedule, and a synthetic full says nothing of the source.
 */
export const recordOutcome = (
  tenant: Tenant,
  {
    scheduleId,
    backupId,
    time = clock,
  }: { readonly scheduleId: string; readonly backupId: string; readonly time?: Clock | undefined },
): Promise<void> =>
  retryOnConflict({ attempts: 8, isRetryable: isStaleContext }, async () => {
    const key = backupKey.backup(tenant, backupId);
    const [context, backup] = await Promise.all([loadScheduleContext(tenant, scheduleId), get(key)]);
    if (!context || !backup || backup.outcomeTold || backup.synthesizedFrom !== undefined) return;
    const writes = await writesOf(context, backup, time.now());
    if (writes.length === 0) return;
    const onConditionFailed = () => new StaleReadError();
    await commit([...writes, set(key, { outcomeTold: true }, { expected: { outcomeTold: undefined }, onConditionFailed })]);
  });

const writesOf = async (context: ScheduleContext, backup: BackupRecord, now: Date): Promise<readonly Write[]> => {
  const { completedAt, error } = backup;
  if (completedAt === null) return [];
  if (error === null) return succeeded(context, { backup, completedAt, now });
  if (error.code === 'CANCELLED') return [];
  return failed(context, { backup, error, now });
};

/** Outcomes may arrive out of order: that of an older backup does not override that of a newer one. */
const succeeded = (
  { tenant, schedule }: ScheduleContext,
  { backup, completedAt, now }: { readonly backup: BackupRecord; readonly completedAt: string; readonly now: Date },
): readonly Write[] => {
  const { lastSuccessAt, lastEndAt = '' } = schedule;
  const warning = warningOf(schedule, backup, now);
  const isLatestSuccess = lastSuccessAt === null || completedAt > lastSuccessAt;
  const attributes = {
    ...(isLatestSuccess && { lastSuccessAt: completedAt, runsSinceSuccess: 0, isOverdue: undefined }),
    ...(completedAt > lastEndAt && {
      lastEndAt: completedAt,
      failing: null,
      warning,
      lastOutcome: { status: 'completed', at: completedAt, backupId: backup.id, error: null },
    }),
  };
  if (Object.keys(attributes).length === 0) return [];
  const isNew = warning?.since === iso(now) && completedAt > lastEndAt;
  return [updated(schedule, attributes), ...(isNew ? [warningAudit(tenant, { schedule, warning, now })] : [])];
};

type Warning = NonNullable<ScheduleRecord['warning']>;

/** Of included and excluded names. `since` is that of the first backup that did not find the same ones. */
const warningOf = ({ warning }: ScheduleRecord, backup: BackupRecord, now: Date): Warning | null => {
  const unknownCollections = [...((backup.unknownCollections ?? []) as readonly string[])];
  if (unknownCollections.length === 0) return null;
  const isSame = warning && isDeepStrictEqual(warning.unknownCollections, unknownCollections);
  const more = unknownCollections.length - namesMax;
  const names = `${unknownCollections.slice(0, namesMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return {
    since: isSame ? warning.since : iso(now),
    code: 'COLLECTION_NOT_FOUND',
    message: `The schedule names collections that do not exist: ${names}`,
    unknownCollections,
    backupId: backup.id,
  };
};

/** Names in a message and in an audit entry. */
const namesMax = 20;

const warningAudit = (
  tenant: Tenant,
  {
    schedule: { id, name },
    warning: { backupId, unknownCollections },
    now,
  }: { readonly schedule: ScheduleRecord; readonly warning: Warning; readonly now: Date },
): Write => {
  const details = { name, backupId, unknownCollections: unknownCollections.slice(0, namesMax), count: unknownCollections.length };
  return systemAudit('scheduler', {
    action: 'schedule.warning',
    note: auditNote(tenant, { type: 'schedule', id, details }),
    now,
  });
};

const failed = async (
  { tenant, schedule, project, organization }: ScheduleContext,
  {
    backup: { id, trigger, completedAt },
    error,
    now,
  }: { readonly backup: BackupRecord; readonly error: ScheduleFailure['error']; readonly now: Date },
): Promise<readonly Write[]> => {
  const isRun = trigger === 'scheduled' && schedule.lastBackupId === id;
  const failure: ScheduleFailure = { reason: 'failed', scheduledFor: isRun ? schedule.lastTick : null, backupId: id, error };
  const isLast = (completedAt ?? '') > (schedule.lastEndAt ?? '');
  const { code, message } = error;
  const attributes = {
    lastEndAt: completedAt,
    failing: failingWith(schedule, failure, now),
    lastOutcome: { status: 'failed', at: completedAt ?? iso(now), backupId: id, error: { code, message } },
  } as const;
  const after: ScheduleRecord = isLast
    ? { ...schedule, failing: attributes.failing, lastOutcome: attributes.lastOutcome }
    : schedule;
  return [
    ...(isLast ? [updated(schedule, attributes)] : []),
    ...(project && organization ? [await failureEvent({ tenant, organization, project, schedule: after }, failure, now)] : []),
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
