import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { memberEvents } from '../../contract/event-data/member-events.ts';
import type { EventData } from '../../contract/events/event-catalogue.ts';
import { emit } from '../../event/index.ts';
import { type Change, iso, set } from '../../platform/index.ts';
import { type CallerContext, organizationRef } from '../model/caller-context.ts';
import { organizationKey } from '../model/record.ts';
import { type MemberProfile, toMemberEvent } from './member-profile.ts';

/**
 * Makes the member the owner and the owner an admin, in one transaction: there is always exactly one owner. `ownerId` must still
 * be the caller, so of two concurrent transfers one fails.
 */
export const transferOwnership = (
  { tenant, organization, actor }: CallerContext,
  { to, self }: { readonly to: MemberProfile; readonly self: MemberProfile | undefined },
  now: Date,
): Change => {
  const updatedAt = iso(now);
  const { userId, role: previousRole } = to.member;
  const onConditionFailed = () =>
    new ApiError('CONFLICT', 'The ownership or a role was changed concurrently. Read the members and try again');
  // A caller who is no longer a member is no longer the owner.
  if (!self) throw onConditionFailed();
  const event = (member: EventData<'member.role_changed'>['member']) =>
    emit(tenant, {
      schemas: memberEvents,
      name: 'member.role_changed',
      data: { organization: organizationRef(organization), member },
      now,
    });
  const note = (id: string, details: Readonly<Record<string, unknown>>) =>
    auditNote(tenant, { type: 'member', id, details: { ...details, ownershipTransferred: true } });
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
