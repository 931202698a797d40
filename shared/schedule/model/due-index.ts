/** The note by which the watch finds a schedule whose tick did not come. */
import type { Tenant, Write } from '../../platform/index.ts';
import { type DueRecord, type ScheduleRecord, scheduleKey } from './record.ts';

type Dated = Pick<ScheduleRecord, 'id' | 'nextRunAt' | 'revision'>;

/**
 * Keeps the note where the schedule's `nextRunAt` is, in the transaction that changes it: `was` is undefined for a new schedule,
 * `is` for one that goes. Nothing where it stays.
 */
export const dueWrites = (tenant: Tenant, was: Dated | undefined, is: Dated | undefined): readonly Write[] => {
  if (was?.nextRunAt === is?.nextRunAt) return [];
  return [
    ...(was?.nextRunAt ? [{ remove: scheduleKey.due(tenant, was.id, was.nextRunAt) }] : []),
    ...(is?.nextRunAt ? [{ put: noteOf(tenant, is.id, is.nextRunAt) }] : []),
  ];
};

const noteOf = (tenant: Tenant, scheduleId: string, at: string): DueRecord => ({
  ...scheduleKey.due(tenant, scheduleId, at),
  organizationId: tenant.organizationId,
  scheduleId,
  at,
});
