/** What the Scheduler is to have of a schedule: one entry, or two where either kind of day is enough. */
import { type Entry, newId, putEntry, removeEntry, scheduledTime, type Tenant } from '../../platform/index.ts';
import { entriesOf } from '../cron/next-run.ts';
import type { ScheduleRecord } from '../model/record.ts';

/** The Scheduler, as schedules use it. */
export interface Entries {
  put(entry: Entry): Promise<void>;
  remove(name: string): Promise<void>;
}

export const entries: Entries = { put: putEntry, remove: removeEntry };

/**
 * Every name that an entry of the schedule may have. The organization's id is in it, because a schedule that has moved to another
 * has entries there under its own id: what is left to remove here is never what was made there. 63 characters; 64 are allowed.
 */
export const entryNames = ({ organizationId }: Tenant, scheduleId: string): readonly [string, string] => {
  const name = `${organizationId}.${scheduleId}`;
  return [name, `${name}.w`];
};

/** By name, in the order of `entryNames`. */
export const entriesFor = (
  tenant: Tenant,
  { id, cron, timezone }: Pick<ScheduleRecord, 'id' | 'cron' | 'timezone'>,
  now: Date,
): readonly Entry[] => {
  const names = entryNames(tenant, id);
  return entriesOf(cron).map((expression, n) => ({
    name: names[n] ?? '',
    expression,
    timezone,
    body: JSON.stringify({
      id: newId('task', now),
      organizationId: tenant.organizationId,
      task: { kind: 'run-schedule', scheduleId: id, at: scheduledTime },
    }),
  }));
};
