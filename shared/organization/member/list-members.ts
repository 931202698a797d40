import { accountKey, type UserRecord } from '../../account/index.ts';
import { isId } from '../../contract/ids.ts';
import { getAll, type Tenant, takePage, walk } from '../../platform/index.ts';
import { joinedPrefix, type MemberRecord, organizationKey } from '../model/record.ts';
import type { MemberProfile } from './member-profile.ts';

/** The member with that user id and the caller, in one round trip. */
export const readMember = async (
  tenant: Tenant,
  userId: string,
  callerId: string,
): Promise<{ target: MemberProfile | undefined; self: MemberProfile | undefined }> => {
  if (!isId('user', userId)) return { target: undefined, self: undefined };
  const [member, profile, own, ownProfile] = await getAll([
    organizationKey.member(tenant, userId),
    accountKey.user(userId),
    organizationKey.member(tenant, callerId),
    accountKey.user(callerId),
  ]);
  return { target: member && { member, profile }, self: own && { member: own, profile: ownProfile } };
};

interface ListedMember extends MemberProfile {
  readonly lastActiveAt: string;
}

/** Newest first. Omits a member who leaves while the page is read. */
export const listMembers = async (
  tenant: Tenant,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<{ members: readonly ListedMember[]; next: string | undefined }> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: joinedPrefix, newestFirst: true };
  const { items, next } = await takePage(walk({ ...range, after: page.after, limit: page.limit + 1 }), page.limit);
  const userIds = items.map(({ userId }) => userId as string);
  const found = await getAll(
    userIds.flatMap((id) => [organizationKey.member(tenant, id), accountKey.user(id), organizationKey.seen(tenant, id)]),
  );
  const members = userIds.flatMap((_, n): readonly ListedMember[] => {
    const [member, profile, seen] = found.slice(n * 3, n * 3 + 3) as [MemberRecord?, UserRecord?, { at: string }?];
    return member ? [{ member, profile, lastActiveAt: seen?.at ?? member.joinedAt }] : [];
  });
  return { members, next };
};
