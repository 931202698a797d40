import { type Clock, removeAll, type Tenant } from '../../platform/index.ts';
import { schedulesOf } from '../model/get-schedule.ts';
import { scheduleKey } from '../model/record.ts';
import { entryNames, type Scheduler, scheduler } from '../sync/scheduler-entries.ts';

/** Deletes an organization's schedules with their Scheduler entries and due items. False if the deadline passed first. */
export const purgeSchedules = async (
  tenant: Tenant,
  until: Date,
  time: Clock,
  remove: Scheduler['remove'] = scheduler.remove,
): Promise<boolean> => {
  for await (const { id, nextRunAt, pk, sk } of schedulesOf(tenant)) {
    if (time.now() >= until) return false;
    // The record goes last: it leads to the rest.
    for (const name of entryNames(tenant, id)) await remove(name);
    await removeAll([...(nextRunAt === null ? [] : [scheduleKey.due(tenant, id, nextRunAt)]), { pk, sk }]);
  }
  return true;
};
