import type { Role } from '../../contract/access.ts';
import { getAll, walk } from '../../platform/index.ts';
import { lookup, type MemberRecord, type OrganizationRecord } from '../model/record.ts';

/** The ids of the user's organizations, including deleted ones, in one round trip. */
export const organizationIdsOf = async (userId: string): Promise<readonly string[]> => {
  const { pk, sk: prefix } = lookup.membership(userId, '');
  const ids: string[] = [];
  for await (const link of walk({ pk, prefix })) ids.push(link.sk.slice(prefix.length));
  return ids;
};

export interface OrganizationMembership {
  readonly organization: OrganizationRecord;
  readonly role: Role;
}

/** The user's organizations with current names and roles, oldest first, without deleted ones. Two round trips. */
export const membershipsOf = async (userId: string): Promise<readonly OrganizationMembership[]> => {
  const ids = await organizationIdsOf(userId);
  const items = await getAll(ids.flatMap((id) => [lookup.organization(id), lookup.member(id, userId)]));
  return ids.flatMap((_, n) => {
    const [organization, member] = items.slice(n * 2, n * 2 + 2) as [OrganizationRecord?, MemberRecord?];
    return organization && !organization.deletedAt && member ? [{ organization, role: member.role }] : [];
  });
};
