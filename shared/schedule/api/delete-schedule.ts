/** Deletes a schedule. Its backups stay. */
import { auditNote } from '../../audit/index.ts';
import { emit, enqueue } from '../../event/index.ts';
import type { CallerContext } from '../../organization/index.ts';
import { type Change, remove, StaleReadError } from '../../platform/index.ts';
import { type ProjectRecord, whileNotMoving } from '../../project/index.ts';
import { dueWrites } from '../model/due-writes.ts';
import { type ScheduleRecord, scheduleKey } from '../model/record.ts';
import { uncountSchedules } from '../model/schedule-limit.ts';
import { scheduleEvent } from '../model/schedule-view.ts';

/** The project is given by its name, because it may be deleted. A task deletes the Scheduler entries. */
export const deleteSchedule = (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  schedule: ScheduleRecord,
  project: Pick<ProjectRecord, 'name'>,
  now: Date,
): Change => {
  const { id, projectId, name, revision, nextRunAt } = schedule;
  return {
    writes: [
      {
        ...remove(scheduleKey.schedule(tenant, id)),
        // A concurrent run moves the due item.
        condition: 'revision = :revision AND nextRunAt = :nextRunAt',
        values: { ':revision': revision, ':nextRunAt': nextRunAt },
        onConditionFailed: () => new StaleReadError(),
      },
      uncountSchedules(tenant),
      whileNotMoving(tenant, projectId),
      ...dueWrites(tenant, schedule, undefined),
      emit(tenant, 'schedule.deleted', scheduleEvent(schedule, project, organization), now),
      enqueue(tenant, { kind: 'sync-schedule', scheduleId: id }, now),
    ],
    audit: [auditNote(tenant, 'schedule', id, { projectId, name })],
  };
};
