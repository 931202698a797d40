/** The limits of an organization in this deployment. */
import { type OrganizationLimit, organizationLimits } from '../contract/limits.ts';

/** `ORGANIZATION_LIMITS` is JSON; what it does not name has its default. */
export const organizationLimit = (name: OrganizationLimit): number => {
  const set = JSON.parse(process.env.ORGANIZATION_LIMITS || '{}') as Partial<Record<OrganizationLimit, number>>;
  return set[name] ?? organizationLimits[name];
};
