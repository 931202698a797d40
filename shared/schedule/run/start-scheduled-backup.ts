/** Starts a backup of a schedule, when it is due or manually. */
import { assertBackupCapacity, resolveType, startBackup } from '../../backup/index.ts';
import { scheduleEvents } from '../../contract/event-data/schedule-events.ts';
import { defaultDestination, readDestination } from '../../destination/index.ts';
import { emit } from '../../event/index.ts';
import { get, iso, StaleReadError, type Tenant, type Write } from '../../platform/index.ts';
import { assertIdle } from '../../project/index.ts';
import { type BackupRecord, currentEncryption, readEncryption } from '../../stored-backup/index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import type { ActiveScheduleContext } from '../model/schedule-context.ts';
import { scheduleWrites } from '../model/schedule-kind.ts';
import { scheduleEvent } from '../model/schedule-view.ts';

interface ScheduledStart {
  readonly trigger: 'manual' | 'scheduled';
  readonly createdBy: BackupRecord['createdBy'];
  /** Further changes of the schedule in the same transaction. */
  readonly changes?: Partial<ScheduleRecord>;
  /** Admits a run that is due. A manual one is refused at the limit. */
  readonly claim?: Write;
}

/**
 * The new backup and the writes that start it, conditional on an unchanged schedule. Throws JOB_IN_PROGRESS, STORAGE_NOT_FOUND,
 * and VALIDATION_ERROR if there is no destination.
 */
export const startScheduledBackup = async (
  { tenant, organization, project, schedule }: ActiveScheduleContext,
  { trigger, createdBy, changes = {}, claim }: ScheduledStart,
  now: Date,
): Promise<{ backup: BackupRecord; writes: readonly Write[] }> => {
  const { id, type, collections, excludeCollections, includeAuthUsers, source, retention, retentionPolicy, timezone } = schedule;
  if (!claim) await assertBackupCapacity(tenant);
  if (type === 'incremental') await refuseBusyEarly(tenant, project.id, schedule);
  const [chosen, destination] = await Promise.all([
    readEncryption(tenant),
    schedule.storageDestinationId === null
      ? defaultDestination(tenant, organization, project)
      : readDestination(tenant, schedule.storageDestinationId),
  ]);
  const context = { tenant, project, destination, encryption: currentEncryption(chosen) };
  const options = {
    ...(await resolveType(context, { type, collections, excludeCollections })),
    collections,
    excludeCollections,
    includeAuthUsers,
    source,
    trigger,
    scheduleId: id,
    createdBy,
    claim,
    ...(retention !== null && { retention }),
    ...(retentionPolicy !== null && { retentionPolicy, retentionTimezone: timezone }),
  };
  const { backup, writes } = startBackup(context, options, now);
  const started = { lastRunAt: iso(now), lastBackupId: backup.id, ...changes };
  return {
    backup,
    writes: [
      // First, so that the loser of two concurrent ticks gets StaleReadError, not JOB_IN_PROGRESS for its own job.
      ...scheduleWrites.set(tenant, schedule, started),
      ...writes,
      emit(tenant, {
        schemas: scheduleEvents,
        name: 'schedule.triggered',
        data: {
          ...(await scheduleEvent(tenant, { ...schedule, ...started }, { project, organization })),
          backupId: backup.id,
          trigger,
        },
        now,
      }),
    ],
  };
};

/**
 * Checks for a running job before the search for a parent, which may take many reads; a postponed tick repeats it every minute. A
 * job that a concurrent tick has just started is no reason to wait: the schedule has changed.
 */
const refuseBusyEarly = async (tenant: Tenant, projectId: string, schedule: ScheduleRecord): Promise<void> => {
  try {
    await assertIdle(tenant, projectId);
  } catch (error) {
    const current = await get({ pk: schedule.pk, sk: schedule.sk });
    if (current?.revision !== schedule.revision || current.nextRunAt !== schedule.nextRunAt) throw new StaleReadError();
    throw error;
  }
};
