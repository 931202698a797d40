/** Adding a schedule: its record, the note of when it is due, its event and the task that makes its entries, all or nothing. */
import { emit, enqueue } from '../../event/index.ts';
import type { CallerContext } from '../../organization/index.ts';
import { type Change, create, iso, newId, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, whileConnected, whileNotMoving } from '../../project/index.ts';
import { dueWrites } from '../model/due-index.ts';
import { type ScheduleRecord, scheduleKey } from '../model/record.ts';
import { countSchedule } from '../model/schedule-limit.ts';
import { scheduleEvent } from '../model/schedule-view.ts';
import { holdDestination, nextRunAtOf, type ScheduleWish } from './schedule-input.ts';

/** For a wish that was checked. */
export const createSchedule = async (
  acting: CallerContext,
  project: ProjectRecord,
  wish: ScheduleWish,
  now: Date,
): Promise<{ schedule: ScheduleRecord; change: Change }> => {
  const { tenant, organization, actor } = acting;
  const held = await holdDestination(acting, project, wish.storageDestinationId);
  const id = newId('schedule', now);
  const schedule: ScheduleRecord = {
    ...scheduleKey.schedule(tenant, id),
    id,
    projectId: project.id,
    ...wish,
    nextRunAt: nextRunAtOf(wish, now),
    lastRunAt: null,
    lastBackupId: null,
    lastSuccessAt: null,
    failing: null,
    createdBy: { id: actor.id, email: actor.email },
    createdAt: iso(now),
    updatedAt: iso(now),
    revision: 1,
    enteredRevision: 0,
    lastTick: null,
  };
  const { name, cron, timezone, type, enabled } = wish;
  return {
    schedule,
    change: {
      writes: [
        create(schedule),
        countSchedule(tenant),
        whileConnected(tenant, project.id),
        whileNotMoving(tenant, project.id),
        ...held,
        ...dueWrites(tenant, undefined, schedule),
        emit(tenant, 'schedule.created', scheduleEvent(schedule, project, organization), now),
        enqueue(tenant, { kind: 'sync-schedule', scheduleId: id }, now),
      ],
      audit: [{ ...about(tenant, id), details: { projectId: project.id, name, cron, timezone, type, enabled } }],
    },
  };
};

export const about = ({ organizationId }: Tenant, id: string) => ({
  scope: organizationId,
  resource: { type: 'schedule', id },
});
