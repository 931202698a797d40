/** Schedule items. Every key begins with the tenant, except that of due items, which no API call reads. */
import type * as z from 'zod/mini';
import type { Schedule } from '../../contract/models/schedule.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';

type Shown = z.output<typeof Schedule>;

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

export interface ScheduleRecord
  extends Item,
    Omit<Shown, 'collections' | 'excludeCollections' | 'lastOutcome' | 'warning' | 'waitingFor'> {
  readonly collections: readonly string[];
  readonly excludeCollections: readonly string[];
  /** Absent in records of earlier versions. */
  readonly warning?: Shown['warning'];
  /** Absent until a run ends, and in records of earlier versions. */
  readonly lastOutcome?: NonNullable<Shown['lastOutcome']>;
  /** Incremented by each change: a write based on an older revision fails its condition. */
  readonly revision: number;
  /** The revision that the Scheduler entries match; 0 before there are any. */
  readonly enteredRevision: number;
  /** The last due time for which a backup was started or skipped. `nextRunAt` is the next one. */
  readonly lastTick: string | null;
  /** The due time that is postponed, how often, and when last. */
  readonly putOff?: PutOff | undefined;
  /** When the last recorded run ended, successfully or not. */
  readonly lastEndAt?: string;
  /** Due times since the last completed backup, skipped ones included. */
  readonly runsSinceSuccess?: number;
  /** It was reported that no backup has succeeded for two periods. Reset by the next success. */
  readonly isOverdue?: boolean;
}

/** The watchdog checks the schedule once this time has passed: its tick did not arrive, or it has no Scheduler entry. */
export interface DueRecord extends Item {
  readonly organizationId: string;
  readonly scheduleId: string;
  /** The schedule's `nextRunAt`; an item with another time is outdated. */
  readonly at: string;
}

export const schedulePrefix = 'SCHEDULE#';
export const dueSchedulesPartition = 'DUE#SCHEDULE';

export const scheduleKey = {
  schedule: (tenant: Tenant, scheduleId: string): Key<ScheduleRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${schedulePrefix}${scheduleId}`,
  }),
  /** Sorted by due time, so that the watchdog reads only due items. */
  due: (tenant: Tenant, scheduleId: string, at: string): Key<DueRecord> => ({
    pk: dueSchedulesPartition,
    sk: `${at}#${tenant.organizationId}#${scheduleId}`,
  }),
};
