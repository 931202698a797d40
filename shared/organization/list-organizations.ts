import type { Role } from '../contract/access.ts';
import { getAll, query, takePage, walk } from '../platform/index.ts';
import { lookup, type MemberRecord, membershipPrefix, type OrganizationRecord } from './model/record.ts';

interface OrganizationMembership {
  readonly organization: OrganizationRecord;
  readonly role: Role;
}

/** Extra links per read: deleted organizations still have theirs. */
const slack = 20;

/** One page of the user's organizations, newest first, without deleted ones. */
export const listOrganizations = (
  userId: string,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<{ items: readonly (OrganizationMembership & { readonly sk: string })[]; next: string | undefined }> =>
  takePage(newestFirst(userId, page.after, page.limit + 1 + slack), page.limit);

async function* newestFirst(userId: string, start: string | undefined, limit: number) {
  let after = start;
  do {
    const links = await query({ pk: `USER#${userId}`, prefix: membershipPrefix, newestFirst: true, after, limit });
    for (const membership of await readMemberships(userId, links.items.map(organizationIdOf)))
      yield { sk: `${membershipPrefix}${membership.organization.id}`, ...membership };
    after = links.next;
  } while (after !== undefined);
}

/** The user's organizations with current names and roles, oldest first, without deleted ones. Two round trips. */
export const membershipsOf = async (userId: string): Promise<readonly OrganizationMembership[]> =>
  readMemberships(userId, await organizationIdsOf(userId));

/** The ids of the user's organizations, including deleted ones, in one round trip. */
export const organizationIdsOf = async (userId: string): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const link of walk({ pk: `USER#${userId}`, prefix: membershipPrefix })) ids.push(organizationIdOf(link));
  return ids;
};

const organizationIdOf = ({ sk }: { readonly sk: string }): string => sk.slice(membershipPrefix.length);

const readMemberships = async (userId: string, ids: readonly string[]): Promise<readonly OrganizationMembership[]> => {
  const items = await getAll(ids.flatMap((id) => [lookup.organization(id), lookup.member(id, userId)]));
  return ids.flatMap((_, n) => {
    const [organization, member] = items.slice(n * 2, n * 2 + 2) as [OrganizationRecord?, MemberRecord?];
    return organization && !organization.deletedAt && member ? [{ organization, role: member.role }] : [];
  });
};
