import type { Clock, Tenant } from '../../platform/index.ts';
import { purgeRecurring, type Scheduler, scheduler } from '../../recurring/index.ts';
import { schedulesOf } from '../model/get-schedule.ts';
import { scheduleKind } from '../model/schedule-kind.ts';

/** Deletes an organization's schedules with their Scheduler entries and due items. False if the deadline passed first. */
export const purgeSchedules = (
  tenant: Tenant,
  {
    until,
    time,
    remove = scheduler.remove,
  }: { readonly until: Date; readonly time: Clock; readonly remove?: Scheduler['remove'] | undefined },
): Promise<boolean> => purgeRecurring(scheduleKind, schedulesOf(tenant), { tenant, until, time, remove });
