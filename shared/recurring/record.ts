/** What schedules and restore tests have in common: they run by a cron expression. */
import type { Task } from '../event/index.ts';
import type { Item, Key, Tenant } from '../platform/index.ts';

export interface RecurringRecord extends Item {
  readonly id: string;
  /** Null for all projects of the organization. */
  readonly projectId: string | null;
  readonly cron: string;
  readonly timezone: string;
  readonly enabled: boolean;
  /** The due time of the next run; null while none is due. */
  readonly nextRunAt: string | null;
  /** Incremented by each change: a write based on an older revision fails its condition. */
  readonly revision: number;
  /** The revision that the Scheduler entries match; 0 before there are any. */
  readonly enteredRevision: number;
  /** The due time that is postponed, how often, and when last. */
  readonly putOff?: PutOff | undefined;
}

interface PutOff {
  readonly at: string;
  readonly tries: number;
  readonly since: string;
  readonly message: string;
  /** Since when the run waits for capacity. Absent if only a job of its project was in the way. */
  readonly waitingSince?: string;
  /** When there was capacity for it after it had waited, but its project had a job. Absent while it waits for capacity. */
  readonly grantedAt?: string;
}

/** The task of a due time, without the time, which the Scheduler fills in. */
export type RunTask = WithoutTime<Extract<Task, { kind: 'run-schedule' | 'run-restore-test' }>>;
type WithoutTime<T> = T extends unknown ? Omit<T, 'at' | 'tries'> : never;

/** What schedules and restore tests each say of their records. */
export interface RecurringKind<R extends RecurringRecord> {
  readonly idName: 'scheduleId' | 'restoreTestId';
  readonly duePartition: string;
  key(tenant: Tenant, id: string): Key<R>;
  runTask(id: string): RunTask;
  syncTask(id: string): Task;
}

/** The watchdog checks the record once this time has passed: its tick did not arrive, or it has no Scheduler entry. */
export interface DueRecord extends Item {
  readonly organizationId: string;
  readonly scheduleId?: string;
  readonly restoreTestId?: string;
  /** The record's `nextRunAt`; an item with another time is outdated. */
  readonly at: string;
}

interface DueRun {
  readonly id: string;
  readonly at: string;
}

/** Sorted by due time, so that the watchdog reads only due items. No API call reads them, so the key does not begin with the tenant. */
export const dueItemKey = (
  { duePartition }: { readonly duePartition: string },
  { organizationId }: Tenant,
  { id, at }: DueRun,
): Key => ({
  pk: duePartition,
  sk: `${at}#${organizationId}#${id}`,
});
