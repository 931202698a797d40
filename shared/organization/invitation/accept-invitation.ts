import { accountKey, type UserRecord } from '../../account/index.ts';
import { auditNote } from '../../audit/index.ts';
import { comparableEmail } from '../../contract/comparable-email.ts';
import { ApiError } from '../../contract/errors.ts';
import { invitationEvents } from '../../contract/event-data/invitation-events.ts';
import { memberEvents } from '../../contract/event-data/member-events.ts';
import { emit } from '../../event/index.ts';
import { type Change, getAll, iso, type Tenant, unsafeTenant } from '../../platform/index.ts';
import { toMemberEvent } from '../member/member-profile.ts';
import { joinWrites } from '../member/membership.ts';
import { organizationRef } from '../model/caller-context.ts';
import { countOf } from '../model/organization-guards.ts';
import { type InvitationRecord, lookup, type MemberRecord, type OrganizationRecord } from '../model/record.ts';
import { isTokenOf, readToken } from './invitation-token.ts';
import { acceptedWrites, endInvitation, isOpen, noSuchInvitation, unlessExpired } from './invite.ts';

/** A valid invitation link, resolved. */
export interface FoundInvitation {
  readonly tenant: Tenant;
  readonly organization: OrganizationRecord;
  readonly invitation: InvitationRecord;
  /** Of the caller, if signed in. */
  readonly profile: UserRecord | undefined;
  readonly member: MemberRecord | undefined;
}

/** Throws INVITATION_NOT_FOUND for a malformed, forged or superseded link and for a deleted organization. One round trip. */
export const findInvitation = async (token: string, userId: string | undefined, now: Date): Promise<FoundInvitation> => {
  const ids = readToken(token);
  if (!ids) throw noSuchInvitation();
  const { organizationId, invitationId } = ids;
  const keys = [lookup.organization(organizationId), lookup.invitation(organizationId, invitationId)];
  const callerKeys = userId ? [accountKey.user(userId), lookup.member(organizationId, userId)] : [];
  const items = await getAll([...keys, ...callerKeys]);
  const [organization, stored, profile, member] = items as [OrganizationRecord?, InvitationRecord?, UserRecord?, MemberRecord?];
  const invitation = unlessExpired(stored, now);
  if (!organization || organization.deletedAt || !invitation) throw noSuchInvitation();
  if (!(await isTokenOf(token, { ...ids, expiresAt: invitation.expiresAt }))) throw noSuchInvitation();
  return { tenant: unsafeTenant(organizationId, 'invitation'), organization, invitation, profile, member };
};

export const invitationStatus = (invitation: InvitationRecord, now: Date): InvitationRecord['status'] | 'expired' =>
  invitation.status === 'pending' && !isOpen(invitation, now) ? 'expired' : invitation.status;

/** Only the invited person can accept, once: the verified e-mail address must match the invitation. */
export const acceptInvitation = (found: FoundInvitation, now: Date): Change => {
  const { tenant, organization, invitation, member } = found;
  const { email } = invitation;
  const profile = invitedPerson(found, now);
  if (member) throw new ApiError('CONFLICT', 'You are already a member of this organization');
  const { role, id } = invitation;
  const ref = organizationRef(organization);
  const joined = toMemberEvent({ member: { userId: profile.id, role, joinedAt: iso(now), address: email }, profile });
  return {
    writes: [
      ...acceptedWrites(tenant, { invitation, userId: profile.id, now }),
      ...joinWrites(tenant, { userId: profile.id, role, address: email, now }),
      { ...countOf(tenant, { counter: 'memberCount', amount: 1 }), onConditionFailed: noSuchInvitation },
      emit(tenant, {
        schemas: invitationEvents,
        name: 'invitation.accepted',
        data: { organization: ref, invitation: { ...invitation, status: 'accepted' } },
        now,
      }),
      emit(tenant, { schemas: memberEvents, name: 'member.joined', data: { organization: ref, member: joined }, now }),
    ],
    audit: [
      auditNote(tenant, { type: 'invitation', id, details: { email, role, joinedAt: iso(now) } }),
      { ...auditNote(tenant, { type: 'member', id: profile.id, details: { role } }), action: 'member.joined' },
    ],
  };
};

/** Only the invited person can decline. The address can be invited again. */
export const declineInvitation = (found: FoundInvitation, now: Date): Change => {
  invitedPerson(found, now);
  return endInvitation(found.tenant, { invitation: found.invitation, status: 'declined', now });
};

/** The caller, whose verified e-mail address is the invited one. Throws unless the invitation is pending. */
const invitedPerson = ({ invitation, profile }: FoundInvitation, now: Date): UserRecord => {
  if (!profile?.emailVerified || comparableEmail(profile.email) !== invitation.email) {
    throw new ApiError('FORBIDDEN', 'Sign in with the invited e-mail address. Your identity provider must have verified it');
  }
  const status = invitationStatus(invitation, now);
  if (status !== 'pending') throw new ApiError('CONFLICT', `This invitation is ${status}`, { status });
  return profile;
};
