/** Writes of plans that fail if the plan has changed since it was read, and the due items of the watchdog. */
import { countLimit, countOf, noSuchOrganization, organizationKey } from '../../organization/index.ts';
import { add, check, remove, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { type DueRestoreTest, type RestoreTestRecord, restoreTestKey } from './record.ts';

type ReadPlan = Pick<RestoreTestRecord, 'pk' | 'sk' | 'revision' | 'nextRunAt'>;

const staleRead = (): StaleReadError => new StaleReadError();

export const setPlan = ({ pk, sk, revision, nextRunAt }: ReadPlan, attributes: Readonly<Record<string, unknown>>): Write =>
  set({ pk, sk }, attributes, { expected: { revision, nextRunAt }, onConditionFailed: staleRead });

export const removePlan = ({ pk, sk, revision, nextRunAt }: ReadPlan): Write =>
  remove({ pk, sk }, staleRead, { revision, nextRunAt });

/** A run that begins while its plan is deleted would not be cancelled. */
export const whilePlanned = ({ pk, sk }: ReadPlan): Write => check({ pk, sk }, {}, staleRead);

type Dated = Pick<RestoreTestRecord, 'id' | 'nextRunAt'>;

/** Moves the due item with `nextRunAt`, in the same transaction. */
export const dueTestWrites = (tenant: Tenant, before: Dated | undefined, after: Dated | undefined): readonly Write[] => {
  if (before?.nextRunAt === after?.nextRunAt) return [];
  return [
    ...(before?.nextRunAt ? [{ remove: restoreTestKey.due(tenant, before.id, before.nextRunAt) }] : []),
    ...(after?.nextRunAt ? [{ put: dueItem(tenant, after.id, after.nextRunAt) }] : []),
  ];
};

const dueItem = (tenant: Tenant, restoreTestId: string, at: string): DueRestoreTest => ({
  ...restoreTestKey.due(tenant, restoreTestId, at),
  organizationId: tenant.organizationId,
  restoreTestId,
  at,
});

export const countRestoreTest = (tenant: Tenant): Write => countOf('restoreTestCount', tenant, 1, countLimit('restoreTests'));

/** Also for a deleted organization. */
export const uncountRestoreTest = (tenant: Tenant): Write => ({
  ...add(organizationKey.organization(tenant), 'restoreTestCount', -1),
  onConditionFailed: noSuchOrganization,
});
