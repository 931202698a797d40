/** The organization's side of an invitation: pending, then accepted or cancelled. Expiry is a matter of time, not of state. */
import type { invitableRoles } from '../../contract/access.ts';
import { ApiError } from '../../contract/errors.ts';
import { invitationSeconds } from '../../contract/limits.ts';
import { emit, enqueue } from '../../event/index.ts';
import { after, type Change, create, epochSeconds, iso, newId, set, type Tenant, type Write } from '../../platform/index.ts';
import { type CallerContext, organizationRef } from '../model/caller-context.ts';
import { whileActive } from '../model/organization-guards.ts';
import { type AddressRecord, type InvitationRecord, organizationKey } from '../model/record.ts';

/** An invitation that ended, or that nobody took, can still be looked up this long. */
const keptSeconds = 30 * 24 * 3_600;

export const noSuchInvitation = (): ApiError => new ApiError('INVITATION_NOT_FOUND', 'There is no such invitation');

/** The invitation, unless it has been forgotten: the table may not have cleaned it up yet. */
export const unlessExpired = (invitation: InvitationRecord | undefined, now: Date): InvitationRecord | undefined =>
  invitation && invitation.ttl > epochSeconds(now) ? invitation : undefined;

export const isOpen = ({ status, expiresAt }: InvitationRecord, now: Date): boolean =>
  status === 'pending' && expiresAt > iso(now);

/** The condition under which an address still belongs to the invitation. */
const addressOf = (invitationId: string) => ({
  condition: 'attribute_not_exists(pk) OR invitationId = :invitationId',
  values: { ':invitationId': invitationId },
});

const ended = () => new ApiError('CONFLICT', 'This invitation is no longer pending');

/** One open invitation per address, none for a member's. `holder` is whose the address is now; an expired invitation gives way. */
export const invite = (
  { tenant, organization, actor }: CallerContext,
  holder: AddressRecord | undefined,
  { email, role }: { readonly email: string; readonly role: (typeof invitableRoles)[number] },
  now: Date,
): { invitation: InvitationRecord; change: Change } => {
  const exists = () =>
    new ApiError('INVITATION_EXISTS', 'This address is invited or a member already', { field: 'email', email });
  const expired = holder?.expiresAt !== undefined && holder.expiresAt <= iso(now) ? holder.invitationId : undefined;
  if (holder && !expired) throw exists();
  const id = newId('invitation', now);
  const times = timesFrom(now);
  const invitation: InvitationRecord = {
    ...organizationKey.invitation(tenant, id),
    id,
    email,
    role,
    status: 'pending',
    createdAt: iso(now),
    invitedBy: { id: actor.id, email: actor.email ?? '' },
    ...times,
  };
  const address = { ...organizationKey.address(tenant, email), invitationId: id, ...times };
  return {
    invitation,
    change: {
      writes: [
        expired ? { put: address, ...addressOf(expired), onConditionFailed: exists } : create(address, exists),
        // Its link has expired; without this it would be a second invitation of the same person.
        ...(expired ? [{ remove: organizationKey.invitation(tenant, expired) }] : []),
        whileActive(tenant),
        create(invitation),
        enqueue(tenant, { kind: 'send-invitation', invitationId: id }, now),
        emit(tenant, 'invitation.created', { organization: organizationRef(organization), invitation }, now),
      ],
      audit: [note(tenant, id, { email, role })],
    },
  };
};

/** Ends a pending invitation; its address can be invited again. */
export const cancelInvitation = ({ tenant }: CallerContext, found: InvitationRecord | undefined, now: Date): Change => {
  const { id, email, role } = pending(found, now);
  return {
    writes: [
      set(
        organizationKey.invitation(tenant, id),
        { status: 'cancelled', ttl: epochSeconds(after(now, keptSeconds)) },
        { expected: { status: 'pending' }, onConditionFailed: ended },
      ),
      { remove: organizationKey.address(tenant, email), ...addressOf(id), onConditionFailed: ended },
    ],
    audit: [note(tenant, id, { email, role })],
  };
};

/** A new expiry, and with it a new link: the ones sent before stop working. Also revives one that expired unanswered. */
export const resendInvitation = (
  { tenant }: CallerContext,
  found: InvitationRecord | undefined,
  now: Date,
): { invitation: InvitationRecord & { readonly resentAt: string }; change: Change } => {
  const invitation = pending(found, now);
  const { id, email, role } = invitation;
  const changes = { ...timesFrom(now), resentAt: iso(now) };
  const meanwhile = () => new ApiError('CONFLICT', 'This invitation was changed at the same moment; read it again');
  return {
    invitation: { ...invitation, ...changes },
    change: {
      writes: [
        set(organizationKey.invitation(tenant, id), changes, {
          expected: { status: 'pending', expiresAt: invitation.expiresAt },
          onConditionFailed: meanwhile,
        }),
        {
          put: { ...organizationKey.address(tenant, email), invitationId: id, ...timesFrom(now) },
          ...addressOf(id),
          onConditionFailed: meanwhile,
        },
        enqueue(tenant, { kind: 'send-invitation', invitationId: id }, now),
      ],
      audit: [note(tenant, id, { email, role, expiresAt: changes.expiresAt })],
    },
  };
};

/** Makes the invitation accepted and its address the member's, if it is as it was read. */
export const acceptedWrites = (tenant: Tenant, invitation: InvitationRecord, userId: string, now: Date): readonly Write[] => [
  set(
    organizationKey.invitation(tenant, invitation.id),
    { status: 'accepted', ttl: epochSeconds(after(now, keptSeconds)) },
    { expected: { status: 'pending', expiresAt: invitation.expiresAt }, onConditionFailed: ended },
  ),
  {
    put: { ...organizationKey.address(tenant, invitation.email), userId },
    ...addressOf(invitation.id),
    onConditionFailed: ended,
  },
];

const timesFrom = (now: Date) => {
  const expiry = after(now, invitationSeconds);
  return { expiresAt: iso(expiry), ttl: epochSeconds(after(expiry, keptSeconds)) };
};

const pending = (found: InvitationRecord | undefined, now: Date): InvitationRecord => {
  const invitation = unlessExpired(found, now);
  if (!invitation) throw noSuchInvitation();
  if (invitation.status !== 'pending') throw ended();
  return invitation;
};

const note = (tenant: Tenant, id: string, details: Readonly<Record<string, unknown>>) => ({
  scope: tenant.organizationId,
  resource: { type: 'invitation', id },
  details,
});
