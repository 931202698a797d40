/** Deletes a schedule. Its backups stay. */
import { auditNote } from '../../audit/index.ts';
import { scheduleEvents } from '../../contract/event-data/schedule-events.ts';
import { emit, enqueue } from '../../event/index.ts';
import type { CallerContext } from '../../organization/index.ts';
import type { Change } from '../../platform/index.ts';
import { type ProjectRecord, whileNotMoving } from '../../project/index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import { scheduleWrites } from '../model/schedule-kind.ts';
import { uncountSchedules } from '../model/schedule-limit.ts';
import { scheduleEvent } from '../model/schedule-view.ts';

/** The project is given by its name, because it may be deleted. A task deletes the Scheduler entries. */
export const deleteSchedule = async (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  {
    schedule,
    project,
    now,
  }: { readonly schedule: ScheduleRecord; readonly project: Pick<ProjectRecord, 'name'>; readonly now: Date },
): Promise<Change> => {
  const { id, projectId, name } = schedule;
  return {
    writes: [
      ...scheduleWrites.remove(tenant, schedule),
      uncountSchedules(tenant),
      whileNotMoving(tenant, projectId),
      emit(tenant, {
        schemas: scheduleEvents,
        name: 'schedule.deleted',
        data: await scheduleEvent(tenant, schedule, { project, organization }),
        now,
      }),
      enqueue(tenant, { kind: 'sync-schedule', scheduleId: id }, now),
    ],
    audit: [auditNote(tenant, { type: 'schedule', id, details: { projectId, name } })],
  };
};
