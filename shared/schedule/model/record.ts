/** Where schedules are kept. Every key begins with the tenant, but that of what is due, which nobody's call reads. */
import type * as z from 'zod';
import type { Schedule } from '../../contract/models/schedule.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';

type Shown = z.output<typeof Schedule>;

export interface ScheduleRecord extends Item, Omit<Shown, 'collections' | 'excludeCollections'> {
  readonly collections: readonly string[];
  readonly excludeCollections: readonly string[];
  /** One more with each change: whoever acts on an older one acts no more. */
  readonly revision: number;
  /** The revision that the Scheduler's entries are known to show; 0 before there are any. */
  readonly enteredRevision: number;
  /** The last moment it was due at for which a backup was started, or given up. What is due next is `nextRunAt`. */
  readonly lastTick: string | null;
  /** The moment that waits because the project has a job, and how often it was put off. */
  readonly putOff?: { readonly at: string; readonly tries: number; readonly since: string; readonly message: string } | undefined;
  /** When the last of its runs ended that was heard of, one way or the other. */
  readonly lastEndAt?: string;
  /** How often it was due since a backup of it was completed last, each time given up or not. Absent is none. */
  readonly runsSinceSuccess?: number;
  /** That none has succeeded for two periods was told; until one does, it is not told again. */
  readonly isOverdue?: boolean;
}

/** That a schedule is to be looked at once this moment has passed: its tick did not come, or its entries were not made. */
export interface DueRecord extends Item {
  readonly organizationId: string;
  readonly scheduleId: string;
  /** Its `nextRunAt`: a note of another moment is out of date. */
  readonly at: string;
}

export const schedulePrefix = 'SCHEDULE#';
export const duePartition = 'DUE#SCHEDULE';

export const scheduleKey = {
  schedule: (tenant: Tenant, scheduleId: string): Key<ScheduleRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${schedulePrefix}${scheduleId}`,
  }),
  /** Sorted by when it is due, so that the watch reads no more than what is. */
  due: (tenant: Tenant, scheduleId: string, at: string): Key<DueRecord> => ({
    pk: duePartition,
    sk: `${at}#${tenant.organizationId}#${scheduleId}`,
  }),
};
