/** Starting a backup of a schedule, at its time or by hand. */
import {
  assertBackupCapacity,
  type BackupRecord,
  currentEncryption,
  defaultDestination,
  readEncryption,
  resolveType,
  startBackup,
} from '../../backup/index.ts';
import { readDestination } from '../../destination/index.ts';
import { emit } from '../../event/index.ts';
import { get, iso, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { assertIdle } from '../../project/index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import type { ActiveScheduleContext } from '../model/schedule-context.ts';
import { scheduleEvent } from '../model/schedule-view.ts';

export interface ScheduledStart {
  readonly trigger: 'manual' | 'scheduled';
  readonly createdBy: BackupRecord['createdBy'];
  /** What else becomes true of the schedule in the same transaction. */
  readonly moves?: Partial<ScheduleRecord>;
}

/**
 * The record as it begins, and the writes that make it begin, with schedule.triggered among them. They hold only while the
 * schedule is as it was read. Throws JOB_IN_PROGRESS, STORAGE_NOT_FOUND, and VALIDATION_ERROR where there is no destination.
 */
export const startScheduled = async (
  { tenant, organization, project, schedule }: ActiveScheduleContext,
  { trigger, createdBy, moves = {} }: ScheduledStart,
  now: Date,
): Promise<{ backup: BackupRecord; writes: readonly Write[] }> => {
  const { id, type, collections, excludeCollections, includeAuthUsers, retention, retentionPolicy, timezone } = schedule;
  await assertBackupCapacity(tenant);
  if (type === 'incremental') await refuseWaiting(tenant, project.id, schedule);
  const [chosen, destination] = await Promise.all([
    readEncryption(tenant),
    schedule.storageDestinationId === null
      ? defaultDestination(tenant, organization, project)
      : readDestination(tenant, schedule.storageDestinationId),
  ]);
  const place = { tenant, project, destination, encryption: currentEncryption(chosen) };
  const wish = {
    ...(await resolveType(place, { type, collections, excludeCollections })),
    ...{ collections, excludeCollections, includeAuthUsers, trigger, scheduleId: id, createdBy },
    ...(retention !== null && { retention }),
    ...(retentionPolicy !== null && { retentionPolicy, retentionTimezone: timezone }),
  };
  const { backup, writes } = startBackup(place, wish, now);
  const begun = { lastRunAt: iso(now), lastBackupId: backup.id, ...moves };
  return {
    backup,
    writes: [
      // First: of two that tell of one moment the other is overtaken, and does not wait for a job that is its own.
      set({ pk: schedule.pk, sk: schedule.sk }, begun, {
        expected: { revision: schedule.revision, nextRunAt: schedule.nextRunAt },
        onConditionFailed: () => new StaleReadError(),
      }),
      ...writes,
      emit(
        tenant,
        'schedule.triggered',
        { ...scheduleEvent({ ...schedule, ...begun }, project, organization), backupId: backup.id, trigger },
        now,
      ),
    ],
  };
};

/**
 * Looking for a parent may take many reads, and whoever waits for a job asks every minute. A job that another, telling of the same
 * moment, has just begun is its own.
 */
const refuseWaiting = async (tenant: Tenant, projectId: string, schedule: ScheduleRecord): Promise<void> => {
  try {
    await assertIdle(tenant, projectId);
  } catch (error) {
    const present = await get({ pk: schedule.pk, sk: schedule.sk });
    if (present?.revision !== schedule.revision || present.nextRunAt !== schedule.nextRunAt) throw new StaleReadError();
    throw error;
  }
};
