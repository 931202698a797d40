/** Writes of plans. */
import { countLimit, countOf, noSuchOrganization, organizationKey } from '../../organization/index.ts';
import { add, check, StaleReadError, type Tenant, type Write } from '../../platform/index.ts';
import { type RecurringKind, recurringWrites } from '../../recurring/index.ts';
import { type RestoreTestRecord, restoreTestKey } from './record.ts';

export const restoreTestKind: RecurringKind<RestoreTestRecord> = {
  idName: 'restoreTestId',
  duePartition: 'DUE#RESTORETEST',
  key: restoreTestKey.plan,
  runTask: (restoreTestId) => ({ kind: 'run-restore-test', restoreTestId }),
  syncTask: (restoreTestId) => ({ kind: 'sync-restore-test', restoreTestId }),
};

export const planWrites = recurringWrites(restoreTestKind);

/** A run that begins while its plan is deleted would not be cancelled. */
export const whilePlanned = ({ pk, sk }: Pick<RestoreTestRecord, 'pk' | 'sk'>): Write =>
  check({ pk, sk }, {}, () => new StaleReadError());

export const countRestoreTest = (tenant: Tenant): Write =>
  countOf(tenant, { counter: 'restoreTestCount', amount: 1, limit: countLimit('restoreTests') });

/** Also for a deleted organization. */
export const uncountRestoreTest = (tenant: Tenant): Write => ({
  ...add(organizationKey.organization(tenant), 'restoreTestCount', -1),
  onConditionFailed: noSuchOrganization,
});
