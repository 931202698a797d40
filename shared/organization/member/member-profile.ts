import type { UserRecord } from '../../account/index.ts';
import type { Role } from '../../contract/access.ts';
import type { MemberRecord } from '../model/record.ts';

/** A member with the profile that the identity provider last gave. */
export interface MemberProfile {
  readonly member: MemberRecord;
  readonly profile: UserRecord | undefined;
}

/** A member as events show it. */
export const toMemberEvent = (
  {
    member,
    profile,
  }: {
    readonly member: Pick<MemberRecord, 'userId' | 'role' | 'joinedAt' | 'address'>;
    readonly profile: UserRecord | undefined;
  },
  role: Role = member.role,
) => ({
  userId: member.userId,
  email: profile?.email ?? member.address,
  name: profile?.name ?? '',
  picture: profile?.picture ?? null,
  role,
  status: 'active' as const,
  joinedAt: member.joinedAt,
});
