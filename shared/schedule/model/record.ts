import type * as z from 'zod/mini';
import type { Schedule } from '../../contract/models/schedule.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';
import type { RecurringRecord } from '../../recurring/index.ts';

type Shown = z.output<typeof Schedule>;

export interface ScheduleRecord
  extends Item,
    Pick<RecurringRecord, 'revision' | 'enteredRevision' | 'putOff'>,
    Omit<Shown, 'collections' | 'excludeCollections' | 'source' | 'lastOutcome' | 'warning' | 'waitingFor'> {
  readonly collections: readonly string[];
  readonly excludeCollections: readonly string[];
  /** Absent in records of earlier versions: `auto`. */
  readonly source?: Shown['source'];
  /** Absent in records of earlier versions. */
  readonly warning?: Shown['warning'];
  /** Absent until a run ends, and in records of earlier versions. */
  readonly lastOutcome?: NonNullable<Shown['lastOutcome']>;
  /** The last due time for which a backup was started or skipped. `nextRunAt` is the next one. */
  readonly lastTick: string | null;
  /** When the last recorded run ended, successfully or not. */
  readonly lastEndAt?: string;
  /** Due times since the last completed backup, skipped ones included. */
  readonly runsSinceSuccess?: number;
  /** It was reported that no backup has succeeded for two periods. Reset by the next success. */
  readonly isOverdue?: boolean;
}

export const schedulePrefix = 'SCHEDULE#';

export const scheduleKey = {
  schedule: (tenant: Tenant, scheduleId: string): Key<ScheduleRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${schedulePrefix}${scheduleId}`,
  }),
};
