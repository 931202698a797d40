import type { Role } from '../contract/access.ts';
import { getAll, iso, query, takePage, walk } from '../platform/index.ts';
import { lookup, type MemberRecord, membershipPrefix, type OrganizationRecord } from './model/record.ts';

interface OrganizationMembership {
  readonly organization: OrganizationRecord;
  readonly role: Role;
}

/** Extra links per read: deleted organizations still have theirs. */
const slack = 20;

/** One page of the user's organizations, newest first: the active ones, or the deleted ones that the user can recover. */
export const listOrganizations = (
  userId: string,
  page: { readonly limit: number; readonly after: string | undefined },
  isListed: IsListed = isActive,
): Promise<{ items: readonly (OrganizationMembership & { readonly sk: string })[]; next: string | undefined }> =>
  takePage(newestFirst(userId, page, isListed), page.limit);

type IsListed = (organization: OrganizationRecord, userId: string) => boolean;

const isActive: IsListed = ({ deletedAt }) => deletedAt === undefined;

export const isRecoverable =
  (now: Date): IsListed =>
  ({ deletedAt, recoveryDeadline = '', ownerId }, userId) =>
    deletedAt !== undefined && recoveryDeadline > iso(now) && ownerId === userId;

async function* newestFirst(
  userId: string,
  page: { readonly limit: number; readonly after: string | undefined },
  isListed: IsListed,
) {
  const limit = page.limit + 1 + slack;
  let { after } = page;
  do {
    const links = await query({ pk: `USER#${userId}`, prefix: membershipPrefix, newestFirst: true, after, limit });
    for (const membership of await readMemberships(userId, links.items.map(organizationIdOf), isListed))
      yield { sk: `${membershipPrefix}${membership.organization.id}`, ...membership };
    after = links.next;
  } while (after !== undefined);
}

/** The user's organizations with current names and roles, oldest first, without deleted ones. Two round trips. */
export const membershipsOf = async (userId: string): Promise<readonly OrganizationMembership[]> =>
  readMemberships(userId, await organizationIdsOf(userId), isActive);

/** The ids of the user's organizations, including deleted ones, in one round trip. */
export const organizationIdsOf = async (userId: string): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const link of walk({ pk: `USER#${userId}`, prefix: membershipPrefix })) ids.push(organizationIdOf(link));
  return ids;
};

const organizationIdOf = ({ sk }: { readonly sk: string }): string => sk.slice(membershipPrefix.length);

const readMemberships = async (
  userId: string,
  ids: readonly string[],
  isListed: IsListed,
): Promise<readonly OrganizationMembership[]> => {
  const items = await getAll(ids.flatMap((id) => [lookup.organization(id), lookup.member(id, userId)]));
  return ids.flatMap((_, n) => {
    const [organization, member] = items.slice(n * 2, n * 2 + 2) as [OrganizationRecord?, MemberRecord?];
    return organization && member && isListed(organization, userId) ? [{ organization, role: member.role }] : [];
  });
};
