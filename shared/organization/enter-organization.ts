import { type Role, roleAtLeast } from '../contract/access.ts';
import { ApiError } from '../contract/errors.ts';
import { getAll, type Tenant, unsafeTenant } from '../platform/index.ts';
import { noSuchOrganization } from './model/organization-guards.ts';
import { lookup, type MemberRecord, type OrganizationRecord } from './model/record.ts';

export interface OrganizationEntry {
  readonly tenant: Tenant;
  readonly organization: OrganizationRecord;
  readonly role: Role;
}

/** A second organization that a person acts in by the same call, as the first was entered: read for this very call. */
export const enterOrganization = async (userId: string, organizationId: string, needed: Role): Promise<OrganizationEntry> => {
  const found = await getAll([lookup.organization(organizationId), lookup.member(organizationId, userId)]);
  const [organization, member] = found as [OrganizationRecord?, MemberRecord?];
  if (!organization || organization.deletedAt) throw noSuchOrganization();
  if (!member) throw new ApiError('FORBIDDEN', 'You are not a member of the organization it is to move to');
  if (!roleAtLeast(member.role, needed)) {
    throw new ApiError('PERMISSION_DENIED', `This needs the role ${needed} in both organizations`, {
      requiredRole: needed,
      currentRole: member.role,
    });
  }
  return { tenant: unsafeTenant(organization.id, 'membership'), organization, role: member.role };
};
