/** Checks of a schedule's settings beyond the request schema. */
import { assertValidCollections } from '../../backup/index.ts';
import { checkAll, invalid } from '../../contract/errors.ts';
import { countScheduledUse, defaultDestination, readDestination } from '../../destination/index.ts';
import type { CallerContext } from '../../organization/index.ts';
import type { Write } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import { parseCron } from '../../recurring/index.ts';
import type { ScheduleRecord } from '../model/record.ts';

/** The settings of a schedule that a caller can choose. */
export type ScheduleInput = Pick<
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
  | 'source'
  | 'storageDestinationId'
>;

type Retention = Pick<ScheduleInput, 'retention' | 'retentionPolicy'>;
type Given<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Days and a policy exclude each other: the one that is given replaces the other. */
export const retentionOf = ({ retention, retentionPolicy }: Given<Retention>, before: Retention): Retention => {
  if (retention && retentionPolicy) throw invalid('retentionPolicy', 'cannot be given together with retention');
  if (retention) return { retention, retentionPolicy: null };
  if (retentionPolicy) return { retention: null, retentionPolicy };
  return {
    retention: retention === null ? null : before.retention,
    retentionPolicy: retentionPolicy === null ? null : before.retentionPolicy,
  };
};

type CheckedInput = Pick<ScheduleInput, 'cron' | 'collections' | 'excludeCollections'>;

/** Throws VALIDATION_ERROR for all invalid fields. Fields that are not given are not checked. */
export const checkScheduleInput = ({ cron, collections = ['*'], excludeCollections = [] }: Given<CheckedInput>): void =>
  checkAll(
    () => cron !== undefined && parseCron(cron),
    () => assertValidCollections({ collections, excludeCollections }),
  );

/** A named destination must exist and is held; without one there must be a default destination, or every run would fail. */
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
