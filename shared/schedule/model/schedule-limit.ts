/** Keeps count of an organization's schedules. */
import { schedulesPerOrganization as max } from '../../contract/limits.ts';
import { countOf, noSuchOrganization, organizationKey } from '../../organization/index.ts';
import { add, type Tenant, type Write } from '../../platform/index.ts';

/** Adds one, unless the organization was deleted or has the maximum. */
export const countSchedule = (tenant: Tenant): Write =>
  countOf('scheduleCount', tenant, 1, { max, message: `An organization can have at most ${max} schedules` });

/** That many less, also of an organization that was deleted; below zero, that many more that have come along with a project. */
export const uncountSchedules = (tenant: Tenant, amount = 1): Write => ({
  ...add(organizationKey.organization(tenant), 'scheduleCount', -amount),
  onConditionFailed: noSuchOrganization,
});
