/** What is told when a backup of a schedule is missing. */
import type * as z from 'zod';
import type { JobError } from '../../contract/models/backup.ts';
import type { scheduleFailures } from '../../contract/models/schedule.ts';
import { emit } from '../../event/index.ts';
import { iso, type Write } from '../../platform/index.ts';
import type { ScheduleRecord } from '../model/record.ts';
import type { ActiveScheduleContext } from '../model/schedule-context.ts';
import { scheduleEvent } from '../model/schedule-view.ts';

export interface Failure {
  readonly reason: (typeof scheduleFailures)[number];
  /** The moment it was due at; null where it was triggered by hand. */
  readonly scheduledFor: string | null;
  readonly backupId?: string | null;
  readonly error: z.output<typeof JobError>;
}

/** How the schedule shows it: since when nothing succeeds stays, why is the latest reason. */
export const failingWith = (
  { failing }: Pick<ScheduleRecord, 'failing'>,
  { reason, error: { code, message } }: Failure,
  now: Date,
): NonNullable<ScheduleRecord['failing']> => ({ since: failing?.since ?? iso(now), reason, code, message });

/** The event, of the schedule as it is after it. */
export const tellFailure = (
  { tenant, organization, project, schedule }: ActiveScheduleContext,
  { reason, scheduledFor, backupId = null, error }: Failure,
  now: Date,
): Write =>
  emit(
    tenant,
    'schedule.failed',
    { ...scheduleEvent(schedule, project, organization), reason, scheduledFor, backupId, error },
    now,
  );
