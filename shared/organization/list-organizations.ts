import type { Role } from '../contract/access.ts';
import { getAll, query, takePage } from '../platform/index.ts';
import { lookup, type MemberRecord, membershipPrefix, type OrganizationRecord } from './model/record.ts';

interface Membership {
  readonly sk: string;
  readonly organization: OrganizationRecord;
  readonly role: Role;
}

/** Extra links per read: deleted organizations still have theirs. */
const slack = 20;

/** One page of the user's organizations, newest first, without deleted ones. */
export const listOrganizations = (
  userId: string,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<{ items: readonly Membership[]; next: string | undefined }> =>
  takePage(memberships(userId, page.after, page.limit + 1 + slack), page.limit);

async function* memberships(userId: string, start: string | undefined, limit: number): AsyncGenerator<Membership> {
  let after = start;
  do {
    const links = await query({ pk: `USER#${userId}`, prefix: membershipPrefix, newestFirst: true, after, limit });
    const ids = links.items.map(({ organizationId }) => organizationId as string);
    const found = await getAll(ids.flatMap((id) => [lookup.organization(id), lookup.member(id, userId)]));
    for (const [n, { sk }] of links.items.entries()) {
      const [organization, member] = found.slice(n * 2, n * 2 + 2) as [OrganizationRecord?, MemberRecord?];
      if (organization && !organization.deletedAt && member) yield { sk, organization, role: member.role };
    }
    after = links.next;
  } while (after !== undefined);
}
