/** Counts an organization's schedules and limits their number. */
import { countLimit, countOf, noSuchOrganization, organizationKey } from '../../organization/index.ts';
import { add, type Tenant, type Write } from '../../platform/index.ts';

/** Adds one, if the organization exists and is below the limit. */
export const countSchedule = (tenant: Tenant): Write =>
  countOf(tenant, { counter: 'scheduleCount', amount: 1, limit: countLimit('schedules') });

/** Subtracts, also for a deleted organization. A negative amount adds schedules that arrive with a project, beyond the limit. */
export const uncountSchedules = (tenant: Tenant, amount = 1): Write => ({
  ...add(organizationKey.organization(tenant), 'scheduleCount', -amount),
  onConditionFailed: noSuchOrganization,
});
