import { type Role, roleAtLeast } from '../contract/access.ts';
import { ApiError } from '../contract/errors.ts';
import { getAll, type Tenant, unsafeTenant } from '../platform/index.ts';
import { noSuchOrganization, roleRequired } from './model/organization-guards.ts';
import { lookup, type OrganizationRecord } from './model/record.ts';

export interface OrganizationEntry {
  readonly tenant: Tenant;
  readonly organization: OrganizationRecord;
  readonly role: Role;
}

/** Authorizes the caller for a second organization within the same call, such as the target of a move. */
export const enterOrganization = async (
  userId: string,
  organizationId: string,
  requiredRole: Role,
): Promise<OrganizationEntry> => {
  const [organization, member] = await getAll([lookup.organization(organizationId), lookup.member(organizationId, userId)]);
  if (!organization || organization.deletedAt) throw noSuchOrganization();
  if (!member) throw new ApiError('FORBIDDEN', 'You are not a member of the target organization');
  if (!roleAtLeast(member.role, requiredRole))
    throw roleRequired(requiredRole, member.role, `Requires role ${requiredRole} in both organizations`);
  return { tenant: unsafeTenant(organization.id, 'membership'), organization, role: member.role };
};
