/** The items by which the watchdog finds schedules whose tick did not arrive. */
import type { Tenant, Write } from '../../platform/index.ts';
import { type DueRecord, type ScheduleRecord, scheduleKey } from './record.ts';

type Dated = Pick<ScheduleRecord, 'id' | 'nextRunAt' | 'revision'>;

/** Moves the due item with `nextRunAt`, in the same transaction. `before` is undefined for a new schedule, `after` for a deleted one. */
export const dueScheduleWrites = (tenant: Tenant, before: Dated | undefined, after: Dated | undefined): readonly Write[] => {
  if (before?.nextRunAt === after?.nextRunAt) return [];
  return [
    ...(before?.nextRunAt ? [{ remove: scheduleKey.due(tenant, before.id, before.nextRunAt) }] : []),
    ...(after?.nextRunAt ? [{ put: dueItem(tenant, after.id, after.nextRunAt) }] : []),
  ];
};

const dueItem = (tenant: Tenant, scheduleId: string, at: string): DueRecord => ({
  ...scheduleKey.due(tenant, scheduleId, at),
  organizationId: tenant.organizationId,
  scheduleId,
  at,
});
