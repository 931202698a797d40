/** Reports that a run of a schedule produced no backup. */
import type * as z from 'zod/mini';
import { scheduleEvents } from '../../contract/event-data/schedule-events.ts';
import type { JobError } from '../../contract/models/job.ts';
import type { scheduleFailures } from '../../contract/models/schedule.ts';
import { emit } from '../../event/index.ts';
import { iso, type Write } from '../../platform/index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import type { ActiveScheduleContext } from '../model/schedule-context.ts';
import { scheduleEvent } from '../model/schedule-view.ts';

export interface ScheduleFailure {
  readonly reason: (typeof scheduleFailures)[number];
  /** The due time; null for a manual run. */
  readonly scheduledFor: string | null;
  readonly backupId?: string | null;
  readonly error: z.input<typeof JobError>;
}

/** The schedule's `failing`: `since` is that of the first failure, the reason that of the latest. */
export const failingWith = (
  { failing }: Pick<ScheduleRecord, 'failing'>,
  { reason, error: { code, message } }: ScheduleFailure,
  now: Date,
): NonNullable<ScheduleRecord['failing']> => ({ since: failing?.since ?? iso(now), reason, code, message });

/** The schedule in the context must be as it is after the failure. */
export const failureEvent = async (
  { tenant, organization, project, schedule }: ActiveScheduleContext,
  { reason, scheduledFor, backupId = null, error }: ScheduleFailure,
  now: Date,
): Promise<Write> =>
  emit(tenant, {
    schemas: scheduleEvents,
    name: 'schedule.failed',
    data: { ...(await scheduleEvent(tenant, schedule, { project, organization })), reason, scheduledFor, backupId, error },
    now,
  });
