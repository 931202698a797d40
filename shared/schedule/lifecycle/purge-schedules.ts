import { type Clock, removeAll, type Tenant, walk } from '../../platform/index.ts';
import { type ScheduleRecord, scheduleKey, schedulePrefix } from '../model/record.ts';
import { entryNames, type Scheduler, scheduler } from '../sync/scheduler-entries.ts';

/** Deletes an organization's schedules with their Scheduler entries and due items. False if the deadline passed first. */
export const purgeSchedules = async (
  tenant: Tenant,
  until: Date,
  time: Clock,
  remove: Scheduler['remove'] = scheduler.remove,
): Promise<boolean> => {
  const range = { pk: scheduleKey.schedule(tenant, '').pk, prefix: schedulePrefix };
  for await (const { id, nextRunAt, pk, sk } of walk<ScheduleRecord>(range)) {
    if (time.now() >= until) return false;
    // The record goes last: it leads to the rest.
    for (const name of entryNames(tenant, id)) await remove(name);
    await removeAll([...(nextRunAt === null ? [] : [scheduleKey.due(tenant, id, nextRunAt)]), { pk, sk }]);
  }
  return true;
};
