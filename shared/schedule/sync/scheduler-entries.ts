/** A schedule's entries in EventBridge Scheduler: one, or two if either kind of day is enough. */
import type { Task } from '../../event/index.ts';
import { newId, putEntry, removeEntry, type SchedulerEntry, scheduledTime, type Tenant } from '../../platform/index.ts';
import { schedulerExpressions } from '../cron/next-run.ts';
import type { ScheduleRecord } from '../model/record.ts';

export interface Scheduler {
  put(entry: SchedulerEntry): Promise<void>;
  remove(name: string): Promise<void>;
}

export const scheduler: Scheduler = { put: putEntry, remove: removeEntry };

/**
 * Every name that an entry of the schedule may have. Names contain the organization id: removing the entries of a moved schedule
 * from its old organization must not remove those of the new one. 63 characters; Scheduler allows 64.
 */
export const entryNames = ({ organizationId }: Tenant, scheduleId: string): readonly [string, string] => {
  const name = `${organizationId}.${scheduleId}`;
  return [name, `${name}.w`];
};

/** The task of a due time, without the time, which the Scheduler fills in. */
type DueTask = WithoutTime<Extract<Task, { kind: 'run-schedule' | 'run-restore-test' }>>;
type WithoutTime<T> = T extends unknown ? Omit<T, 'at' | 'tries'> : never;

/** Named in the order of `entryNames`. */
export const entriesFor = (
  tenant: Tenant,
  { id, cron, timezone }: Pick<ScheduleRecord, 'id' | 'cron' | 'timezone'>,
  task: DueTask,
  now: Date,
): readonly SchedulerEntry[] => {
  const names = entryNames(tenant, id);
  return schedulerExpressions(cron).map((expression, n) => ({
    name: names[n] ?? '',
    expression,
    timezone,
    body: JSON.stringify({
      id: newId('task', now),
      organizationId: tenant.organizationId,
      task: { ...task, at: scheduledTime },
    }),
  }));
};
