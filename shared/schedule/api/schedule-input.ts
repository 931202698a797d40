/** What a person may ask a schedule to be, beyond what the shape of the request tells. */
import { defaultDestination, refuseBadCollections } from '../../backup/index.ts';
import { invalid } from '../../contract/errors.ts';
import { countScheduledUse, readDestination } from '../../destination/index.ts';
import type { CallerContext } from '../../organization/index.ts';
import { iso, type Write } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { nextRun, parseCron } from '../cron/next-run.ts';
import type { ScheduleRecord } from '../model/record.ts';

/** All of a schedule that people choose. */
export type ScheduleWish = Pick<
  ScheduleRecord,
  | 'name'
  | 'cron'
  | 'timezone'
  | 'type'
  | 'enabled'
  | 'retention'
  | 'retentionPolicy'
  | 'collections'
  | 'excludeCollections'
  | 'includeAuthUsers'
  | 'storageDestinationId'
>;

type Retention = Pick<ScheduleWish, 'retention' | 'retentionPolicy'>;
type Given<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Days or a policy: whichever is given takes the other's place, and both at once say nothing. */
export const retentionOf = (given: Given<Retention>, was: Retention): Retention => {
  const { retention, retentionPolicy } = given;
  if (retention && retentionPolicy) throw invalid('retentionPolicy', 'cannot be given together with retention');
  if (retention) return { retention, retentionPolicy: null };
  if (retentionPolicy) return { retention: null, retentionPolicy };
  return {
    retention: retention === null ? null : was.retention,
    retentionPolicy: retentionPolicy === null ? null : was.retentionPolicy,
  };
};

/** Throws VALIDATION_ERROR for the first field that is wrong. */
export const checkWish = (wish: Pick<ScheduleWish, 'cron' | 'collections' | 'excludeCollections'>): void => {
  parseCron(wish.cron);
  refuseBadCollections(wish);
};

/** Null while it is paused. */
export const nextRunAtOf = ({ cron, timezone, enabled }: Pick<ScheduleWish, 'cron' | 'timezone' | 'enabled'>, now: Date) => {
  if (!enabled) return null;
  const next = nextRun(cron, timezone, now);
  if (!next) throw invalid('cron', 'is never due');
  return iso(next);
};

/**
 * A destination that is named must be there, and is held from now on; where none is named there must be a default, or every run
 * would fail.
 */
export const holdDestination = async (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  project: ProjectRecord,
  destinationId: string | null,
): Promise<readonly Write[]> => {
  if (destinationId === null) {
    await defaultDestination(tenant, organization, project);
    return [];
  }
  await readDestination(tenant, destinationId);
  return [countScheduledUse(tenant, destinationId)];
};
