/** The invited person's side: what a link offers, and taking it. */
import { accountKey, type UserRecord } from '../../account/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { emit } from '../../event/index.ts';
import { type Change, getAll, iso, type Tenant, unsafeTenant } from '../../platform/index.ts';
import { toMemberEvent } from '../member/member-profile.ts';
import { joinWrites } from '../member/membership.ts';
import { organizationRef } from '../model/caller-context.ts';
import { countMembers } from '../model/organization-guards.ts';
import { type InvitationRecord, lookup, type MemberRecord, type OrganizationRecord } from '../model/record.ts';
import { isTokenOf, readToken } from './invitation-token.ts';
import { acceptedWrites, isOpen, noSuchInvitation, unlessExpired } from './invite.ts';

/** What stands behind a link that is good. */
export interface FoundInvitation {
  readonly tenant: Tenant;
  readonly organization: OrganizationRecord;
  readonly invitation: InvitationRecord;
  /** Of the person who asks, if someone is signed in. */
  readonly profile: UserRecord | undefined;
  readonly member: MemberRecord | undefined;
}

/** One round trip. A link that is malformed, forged, outdated or of a deleted organization answers like one that never was. */
export const findInvitation = async (token: string, userId: string | undefined, now: Date): Promise<FoundInvitation> => {
  const ids = readToken(token);
  if (!ids) throw noSuchInvitation();
  const { organizationId, invitationId } = ids;
  const keys = [lookup.organization(organizationId), lookup.invitation(organizationId, invitationId)];
  const asker = userId ? [accountKey.user(userId), lookup.member(organizationId, userId)] : [];
  const items = await getAll([...keys, ...asker]);
  const [organization, stored, profile, member] = items as [OrganizationRecord?, InvitationRecord?, UserRecord?, MemberRecord?];
  const invitation = unlessExpired(stored, now);
  if (!organization || organization.deletedAt || !invitation) throw noSuchInvitation();
  if (!(await isTokenOf(token, { ...ids, expiresAt: invitation.expiresAt }))) throw noSuchInvitation();
  return { tenant: unsafeTenant(organizationId, 'invitation'), organization, invitation, profile, member };
};

/** The status as the invited person sees it. */
export const statusOf = (invitation: InvitationRecord, now: Date): InvitationRecord['status'] | 'expired' =>
  invitation.status === 'pending' && !isOpen(invitation, now) ? 'expired' : invitation.status;

/** Only the invited person, known by a verified address as the provider last gave it, and only once. */
export const acceptInvitation = (found: FoundInvitation, now: Date): Change => {
  const { tenant, organization, invitation, profile, member } = found;
  const email = invitation.email.toLowerCase();
  if (!profile?.emailVerified || profile.email.toLowerCase() !== email) {
    throw new ApiError('FORBIDDEN', 'Sign in with the invited e-mail address, verified by your identity provider');
  }
  const status = statusOf(invitation, now);
  if (status !== 'pending') throw new ApiError('CONFLICT', `This invitation is ${status}`, { status });
  if (member) throw new ApiError('CONFLICT', 'You are a member of this organization already');
  const { role, id } = invitation;
  const about = { organization: organizationRef(organization) };
  return {
    writes: [
      ...acceptedWrites(tenant, invitation, profile.id, now),
      ...joinWrites(tenant, profile.id, role, email, now),
      { ...countMembers(tenant, 1), onConditionFailed: noSuchInvitation },
      emit(tenant, 'invitation.accepted', { ...about, invitation: { ...invitation, status: 'accepted' } }, now),
      emit(
        tenant,
        'member.joined',
        {
          ...about,
          member: toMemberEvent({ member: { userId: profile.id, role, joinedAt: iso(now), address: email }, profile }),
        },
        now,
      ),
    ],
    audit: [
      { scope: tenant.organizationId, resource: { type: 'invitation', id }, details: { email, role, joinedAt: iso(now) } },
      { scope: tenant.organizationId, resource: { type: 'member', id: profile.id }, details: { role }, action: 'member.joined' },
    ],
  };
};
