/** Handing over: exactly one owner, before, after and in between. */
import { ApiError } from '../../contract/errors.ts';
import { emit } from '../../event/index.ts';
import { type Change, iso, set } from '../../platform/index.ts';
import { type CallerContext, organizationRef } from '../model/caller-context.ts';
import { organizationKey } from '../model/record.ts';
import { type MemberProfile, toMemberEvent } from './member-profile.ts';

/**
 * The member becomes the owner and the owner an admin. The organization's ownerId must still be the caller, so of two
 * transfers at once one goes through, and the other finds that its caller is the owner no longer.
 */
export const transferOwnership = (
  { tenant, organization, actor }: CallerContext,
  { to, self }: { readonly to: MemberProfile; readonly self: MemberProfile | undefined },
  now: Date,
): Change => {
  const updatedAt = iso(now);
  const { userId, role: previousRole } = to.member;
  const onConditionFailed = () =>
    new ApiError('CONFLICT', 'The ownership or the roles changed at the same moment; read them again');
  // Whoever is no longer a member is no longer the owner, either.
  if (!self) throw onConditionFailed();
  const event = (member: Parameters<typeof emit<'member.role_changed'>>[2]['member']) =>
    emit(tenant, 'member.role_changed', { organization: organizationRef(organization), member }, now);
  const note = (id: string, details: Readonly<Record<string, unknown>>) => ({
    scope: tenant.organizationId,
    resource: { type: 'member', id },
    details: { ...details, ownershipTransferred: true },
  });
  return {
    writes: [
      set(
        organizationKey.organization(tenant),
        { ownerId: userId, updatedAt },
        { expected: { ownerId: actor.id, deletedAt: undefined }, onConditionFailed },
      ),
      set(
        organizationKey.member(tenant, userId),
        { role: 'owner', updatedAt },
        { expected: { role: previousRole }, onConditionFailed },
      ),
      set(
        organizationKey.member(tenant, actor.id),
        { role: 'admin', updatedAt },
        { expected: { role: 'owner' }, onConditionFailed },
      ),
      event({ ...toMemberEvent(to, 'owner'), previousRole }),
      event({ ...toMemberEvent(self, 'admin'), previousRole: 'owner' }),
    ],
    audit: [note(userId, { role: 'owner', previousRole }), note(actor.id, { role: 'admin', previousRole: 'owner' })],
  };
};
