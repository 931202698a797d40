/** Keeps count of an organization's schedules. */
import { ApiError } from '../../contract/errors.ts';
import { schedulesPerOrganization as max } from '../../contract/limits.ts';
import { noSuchOrganization, organizationKey } from '../../organization/index.ts';
import { add, get, type Tenant, type Write } from '../../platform/index.ts';

/** One more, of an organization that is there and has room. */
export const countSchedule = (tenant: Tenant): Write => ({
  update: organizationKey.organization(tenant),
  expression: 'ADD scheduleCount :one',
  condition:
    'attribute_exists(pk) AND attribute_not_exists(deletedAt) AND (attribute_not_exists(scheduleCount) OR scheduleCount < :max)',
  values: { ':one': 1, ':max': max },
  onConditionFailed: async () => {
    const found = await get(organizationKey.organization(tenant));
    return found && found.deletedAt === undefined
      ? new ApiError('CONFLICT', `An organization has at most ${max} schedules`, { max })
      : noSuchOrganization();
  },
});

/** That many less, also of an organization that was deleted; below zero, that many more that have come along with a project. */
export const uncountSchedules = (tenant: Tenant, amount = 1): Write => ({
  ...add(organizationKey.organization(tenant), 'scheduleCount', -amount),
  onConditionFailed: noSuchOrganization,
});
