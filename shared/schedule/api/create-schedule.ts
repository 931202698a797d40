/** Creates a schedule in one transaction: record, due item, event, and the task that creates its Scheduler entries. */
import { auditNote } from '../../audit/index.ts';
import { scheduleEvents } from '../../contract/event-data/schedule-events.ts';
import { emit, enqueue } from '../../event/index.ts';
import type { CallerContext } from '../../organization/index.ts';
import { type Change, iso, newId } from '../../platform/index.ts';
import { type ProjectRecord, whileConnected, whileNotMoving } from '../../project/index.ts';
import { nextRunAtOf } from '../../recurring/index.ts';
import { type ScheduleRecord, scheduleKey } from '../model/record.ts';
import { scheduleWrites } from '../model/schedule-kind.ts';
import { countSchedule } from '../model/schedule-limit.ts';
import { scheduleEvent } from '../model/schedule-view.ts';
import { holdDestination, type ScheduleInput } from './schedule-input.ts';

/** The input must have passed `checkScheduleInput`. */
export const createSchedule = async (
  caller: CallerContext,
  { project, input, now }: { readonly project: ProjectRecord; readonly input: ScheduleInput; readonly now: Date },
): Promise<{ schedule: ScheduleRecord; change: Change }> => {
  const { tenant, organization, actor } = caller;
  const held = await holdDestination(caller, project, input.storageDestinationId);
  const id = newId('schedule', now);
  const schedule: ScheduleRecord = {
    ...scheduleKey.schedule(tenant, id),
    id,
    projectId: project.id,
    ...input,
    nextRunAt: nextRunAtOf(input, now),
    lastRunAt: null,
    lastBackupId: null,
    lastSuccessAt: null,
    failing: null,
    warning: null,
    createdBy: { id: actor.id, email: actor.email },
    createdAt: iso(now),
    updatedAt: iso(now),
    revision: 1,
    enteredRevision: 0,
    lastTick: null,
  };
  const { name, cron, timezone, type, enabled } = input;
  return {
    schedule,
    change: {
      writes: [
        ...scheduleWrites.create(tenant, schedule),
        countSchedule(tenant),
        whileConnected(tenant, project.id),
        whileNotMoving(tenant, project.id),
        ...held,
        emit(tenant, {
          schemas: scheduleEvents,
          name: 'schedule.created',
          data: await scheduleEvent(tenant, schedule, { project, organization }),
          now,
        }),
        enqueue(tenant, { kind: 'sync-schedule', scheduleId: id }, now),
      ],
      audit: [
        auditNote(tenant, { type: 'schedule', id, details: { projectId: project.id, name, cron, timezone, type, enabled } }),
      ],
    },
  };
};
