/** The entries of a record in EventBridge Scheduler: one, or two if either kind of day is enough. */
import { newId, putEntry, removeEntry, type SchedulerEntry, scheduledTime, type Tenant } from '../platform/index.ts';
import { schedulerExpressions } from './cron/next-run.ts';
import type { RecurringRecord, RunTask } from './record.ts';

export interface Scheduler {
  put(entry: SchedulerEntry): Promise<void>;
  remove(name: string): Promise<void>;
}

export const scheduler: Scheduler = { put: putEntry, remove: removeEntry };

/**
 * Every name that an entry of the record may have. Names contain the organization id: removing the entries of a moved schedule
 * from its old organization must not remove those of the new one. 63 characters; Scheduler allows 64.
 */
const entryNames = ({ organizationId }: Tenant, id: string): readonly [string, string] => {
  const name = `${organizationId}.${id}`;
  return [name, `${name}.w`];
};

export const removeEntries = async (tenant: Tenant, id: string, remove: Scheduler['remove']): Promise<void> => {
  for (const name of entryNames(tenant, id)) await remove(name);
};

interface Wanted {
  readonly tenant: Tenant;
  readonly id: string;
  /** Undefined if the record is not active, so that it has no entries. */
  readonly active: Pick<RecurringRecord, 'cron' | 'timezone'> | undefined;
  readonly task: RunTask;
}

/** Makes the entries match the record. */
export const replaceEntries = async (
  { tenant, id, active, task }: Wanted,
  { put, remove }: Scheduler,
  now: Date,
): Promise<void> => {
  const names = entryNames(tenant, id);
  const expressions = active ? schedulerExpressions(active.cron) : [];
  for (const [n, name] of names.entries()) {
    const expression = expressions[n];
    if (!active || expression === undefined) await remove(name);
    else await put({ name, expression, timezone: active.timezone, body: bodyOf(tenant, task, now) });
  }
};

const bodyOf = ({ organizationId }: Tenant, task: RunTask, now: Date): string =>
  JSON.stringify({ id: newId('task', now), organizationId, task: { ...task, at: scheduledTime } });
