/** What a change needs to be true of the organization at the very moment it is made. */
import { ApiError } from '../../contract/errors.ts';
import { add, type Tenant, type Write } from '../../platform/index.ts';
import { organizationKey } from './record.ts';

export const noSuchOrganization = (): ApiError => new ApiError('ORGANIZATION_NOT_FOUND', 'There is no such organization');

const active = 'attribute_exists(pk) AND attribute_not_exists(deletedAt)';

/** Nothing is added to an organization that is being deleted, so the purge cannot miss what comes after it looked. */
export const whileActive = (tenant: Tenant): Write => ({
  check: organizationKey.organization(tenant),
  condition: active,
  onConditionFailed: noSuchOrganization,
});

const counted =
  (counter: 'memberCount' | 'projectCount') =>
  (tenant: Tenant, amount: 1 | -1): Write => ({
    ...add(organizationKey.organization(tenant), counter, amount),
    condition: active,
    onConditionFailed: noSuchOrganization,
  });

/** Keeps the number of members true, in the transaction that changes it. */
export const countMembers = counted('memberCount');

/** Keeps the number of projects true, in the transaction that changes it. */
export const countProjects = counted('projectCount');
