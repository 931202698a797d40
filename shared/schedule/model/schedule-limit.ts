/** Counts an organization's schedules and limits their number. */
import { ApiError } from '../../contract/errors.ts';
import { schedulesPerOrganization as max } from '../../contract/limits.ts';
import { noSuchOrganization, organizationKey } from '../../organization/index.ts';
import { add, get, type Tenant, type Write } from '../../platform/index.ts';

/** Adds one, if the organization exists and is below the limit. */
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

/** Subtracts, also for a deleted organization. A negative amount adds schedules that arrive with a project, beyond the limit. */
export const uncountSchedules = (tenant: Tenant, amount = 1): Write => ({
  ...add(organizationKey.organization(tenant), 'scheduleCount', -amount),
  onConditionFailed: noSuchOrganization,
});
