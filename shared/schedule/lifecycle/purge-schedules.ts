import { type Clock, removeAll, type Tenant, walk } from '../../platform/index.ts';
import { type ScheduleRecord, scheduleKey, schedulePrefix } from '../model/record.ts';
import { type Entries, entries, entryNames } from '../sync/scheduler-entries.ts';

/** Removes the schedules of an organization with what the Scheduler and the watch have of them, and tells whether none is left. */
export const purgeSchedules = async (
  tenant: Tenant,
  until: Date,
  time: Clock,
  remove: Entries['remove'] = entries.remove,
): Promise<boolean> => {
  const range = { pk: scheduleKey.schedule(tenant, '').pk, prefix: schedulePrefix };
  for await (const { id, nextRunAt, pk, sk } of walk<ScheduleRecord>(range)) {
    if (time.now() >= until) return false;
    // In this order: the schedule leads to the rest.
    for (const name of entryNames(tenant, id)) await remove(name);
    await removeAll([...(nextRunAt === null ? [] : [scheduleKey.due(tenant, id, nextRunAt)]), { pk, sk }]);
  }
  return true;
};
