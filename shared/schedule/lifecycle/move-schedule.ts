/** A schedule follows its project to another organization. */
import { countScheduledUse } from '../../destination/index.ts';
import { emit, enqueue } from '../../event/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { commit, create, getAll, iso, StaleReadError, type Tenant, type Write, walk } from '../../platform/index.ts';
import { type ProjectRecord, projectKey, whileConnected } from '../../project/index.ts';
import { nextRun } from '../cron/next-run.ts';
import { dueWrites } from '../model/due-index.ts';
import { type ScheduleRecord, scheduleKey, schedulePrefix } from '../model/record.ts';
import { uncountSchedules } from '../model/schedule-limit.ts';
import { scheduleEvent } from '../model/schedule-view.ts';

/** Every schedule of a project; there are at most some hundred in an organization. */
export const schedulesOfProject = (tenant: Tenant, projectId: string): AsyncIterable<ScheduleRecord> =>
  walk<ScheduleRecord>({
    pk: scheduleKey.schedule(tenant, '').pk,
    prefix: schedulePrefix,
    where: { projectId },
  });

/** In one transaction it is there and no longer here; what is due stays due. Each side's entries follow by a task of that side. */
export const carrySchedule = async (from: Tenant, to: Tenant, schedule: ScheduleRecord, now: Date): Promise<void> => {
  const { id, projectId, revision, nextRunAt, storageDestinationId, pk, sk } = schedule;
  const [left, reached, found, destination] = await getAll([
    organizationKey.organization(from),
    organizationKey.organization(to),
    projectKey.project(to, projectId),
    organizationKey.storageDestination(to, storageDestinationId ?? ''),
  ]);
  const project = found as ProjectRecord | undefined;
  const gone: readonly Write[] = [
    {
      remove: { pk, sk },
      condition: 'revision = :revision AND nextRunAt = :nextRunAt',
      values: { ':revision': revision, ':nextRunAt': nextRunAt },
      onConditionFailed: () => new StaleReadError(),
    },
    ...dueWrites(from, schedule, undefined),
    ...(left
      ? [
          uncountSchedules(from),
          emit(from, 'schedule.deleted', scheduleEvent(schedule, project ?? { name: '' }, left as OrganizationRecord), now),
        ]
      : []),
    enqueue(from, { kind: 'sync-schedule', scheduleId: id }, now),
  ];
  // Both are gone only if the other organization was purged, or the project deleted there, meanwhile.
  const come: readonly Write[] =
    reached && project
      ? [
          ...arrived(to, schedule, project, reached as OrganizationRecord, now),
          whileConnected(to, projectId),
          ...(destination && storageDestinationId ? [countScheduledUse(to, storageDestinationId)] : []),
        ]
      : [];
  await commit([...gone, ...come.map((write) => ({ ...write, otherwise: () => new StaleReadError() }))]);
};

const arrived = (
  to: Tenant,
  schedule: ScheduleRecord,
  project: ProjectRecord,
  organization: OrganizationRecord,
  now: Date,
): readonly Write[] => {
  const record: ScheduleRecord = {
    ...schedule,
    ...scheduleKey.schedule(to, schedule.id),
    nextRunAt: schedule.enabled ? (schedule.nextRunAt ?? firstFrom(schedule, now)) : null,
    revision: schedule.revision + 1,
    enteredRevision: 0,
  };
  return [
    create(record),
    ...dueWrites(to, undefined, record),
    uncountSchedules(to, -1),
    enqueue(to, { kind: 'sync-schedule', scheduleId: schedule.id }, now),
    emit(to, 'schedule.created', scheduleEvent(record, project, organization), now),
  ];
};

const firstFrom = ({ cron, timezone }: ScheduleRecord, now: Date): string | null => {
  const next = nextRun(cron, timezone, now);
  return next ? iso(next) : null;
};
