/** Moves a schedule with its project to another organization. */
import { scheduleEvents } from '../../contract/event-data/schedule-events.ts';
import { countScheduledUse } from '../../destination/index.ts';
import { emit, enqueue } from '../../event/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { commit, getAll, StaleReadError, type Tenant, type Write } from '../../platform/index.ts';
import { type ProjectRecord, projectKey, whileConnected } from '../../project/index.ts';
import { nextRunAfter } from '../../recurring/index.ts';
import { type ScheduleRecord, scheduleKey } from '../model/record.ts';
import { scheduleWrites } from '../model/schedule-kind.ts';
import { uncountSchedules } from '../model/schedule-limit.ts';
import { scheduleEvent } from '../model/schedule-view.ts';

/** One transaction; a due run stays due. A task on each side syncs its Scheduler entries. */
export const moveSchedule = async (
  from: Tenant,
  { to, schedule, now }: { readonly to: Tenant; readonly schedule: ScheduleRecord; readonly now: Date },
): Promise<void> => {
  const { id, projectId, storageDestinationId } = schedule;
  const onConditionFailed = (): StaleReadError => new StaleReadError();
  const [source, target, project, destination] = await getAll([
    organizationKey.organization(from),
    organizationKey.organization(to),
    projectKey.project(to, projectId),
    organizationKey.storageDestination(to, storageDestinationId ?? ''),
  ]);
  const removed: readonly Write[] = [
    ...scheduleWrites.remove(from, schedule),
    ...(source
      ? [
          uncountSchedules(from),
          emit(from, {
            schemas: scheduleEvents,
            name: 'schedule.deleted',
            data: await scheduleEvent(from, schedule, { project: project ?? { name: '' }, organization: source }),
            now,
          }),
        ]
      : []),
    enqueue(from, { kind: 'sync-schedule', scheduleId: id }, now),
  ];
  // Undefined only if the target organization was purged, or the project deleted there, meanwhile.
  const added: readonly Write[] =
    target && project
      ? [
          ...(await addedWrites(to, { schedule, project, organization: target, now })),
          whileConnected(to, projectId),
          ...(destination && storageDestinationId ? [countScheduledUse(to, storageDestinationId)] : []),
        ]
      : [];
  await commit([...removed, ...added.map((write) => ({ ...write, onConditionFailed }))]);
};

const addedWrites = async (
  to: Tenant,
  {
    schedule,
    project,
    organization,
    now,
  }: {
    readonly schedule: ScheduleRecord;
    readonly project: ProjectRecord;
    readonly organization: OrganizationRecord;
    readonly now: Date;
  },
): Promise<readonly Write[]> => {
  const record: ScheduleRecord = {
    ...schedule,
    ...scheduleKey.schedule(to, schedule.id),
    nextRunAt: schedule.enabled ? (schedule.nextRunAt ?? nextRunAfter(schedule, now)) : null,
    revision: schedule.revision + 1,
    enteredRevision: 0,
  };
  return [
    ...scheduleWrites.create(to, record),
    uncountSchedules(to, -1),
    enqueue(to, { kind: 'sync-schedule', scheduleId: schedule.id }, now),
    emit(to, {
      schemas: scheduleEvents,
      name: 'schedule.created',
      data: await scheduleEvent(to, record, { project, organization }),
      now,
    }),
  ];
};
