/** Removing a schedule: nothing more is started, and its backups stay. */
import { emit, enqueue } from '../../event/index.ts';
import type { CallerContext } from '../../organization/index.ts';
import { type Change, remove, StaleReadError } from '../../platform/index.ts';
import { type ProjectRecord, whileNotMoving } from '../../project/index.ts';
import { dueWrites } from '../model/due-index.ts';
import { type ScheduleRecord, scheduleKey } from '../model/record.ts';
import { uncountSchedules } from '../model/schedule-limit.ts';
import { scheduleEvent } from '../model/schedule-view.ts';
import { about } from './create-schedule.ts';

/** The project by its name alone: it may be gone. The entries are removed by the task. */
export const removeSchedule = (
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
        // A run in between has moved the note of what is due.
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
    audit: [{ ...about(tenant, id), details: { projectId, name } }],
  };
};
