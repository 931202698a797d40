/** Invitations: pending, then accepted, declined or cancelled. Expiry is computed from the time and is not a stored status. */
import { auditNote } from '../../audit/index.ts';
import type { invitableRoles } from '../../contract/access.ts';
import { ApiError } from '../../contract/errors.ts';
import { invitationEvents } from '../../contract/event-data/invitation-events.ts';
import { invitationSeconds } from '../../contract/limits.ts';
import { emit, enqueue } from '../../event/index.ts';
import {
  absentOr,
  after,
  type Change,
  create,
  epochSeconds,
  iso,
  newId,
  StaleReadError,
  set,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import { type CallerContext, organizationRef } from '../model/caller-context.ts';
import { whileActive } from '../model/organization-guards.ts';
import { type AddressRecord, type InvitationRecord, lookup, organizationKey } from '../model/record.ts';
import { countRecipient } from './recipient-limit.ts';

/** How long an ended or expired invitation can still be read. */
const keptSeconds = 30 * 24 * 3_600;

export const noSuchInvitation = (): ApiError => new ApiError('INVITATION_NOT_FOUND', 'Invitation not found');

/** Undefined if its TTL has passed: the table may not have removed it yet. */
export const unlessExpired = (invitation: InvitationRecord | undefined, now: Date): InvitationRecord | undefined =>
  invitation && invitation.ttl > epochSeconds(now) ? invitation : undefined;

export const isOpen = ({ status, expiresAt }: InvitationRecord, now: Date): boolean =>
  status === 'pending' && expiresAt > iso(now);

const ended = () => new ApiError('CONFLICT', 'This invitation is no longer pending');

/** One open invitation per address, none for a member's. `holder` is the current owner of the address; an expired invitation is replaced. */
export const invite = (
  caller: CallerContext,
  {
    holder,
    email,
    role,
    now,
  }: {
    readonly holder: AddressRecord | undefined;
    readonly email: string;
    readonly role: (typeof invitableRoles)[number];
    readonly now: Date;
  },
): { invitation: InvitationRecord; change: Change } => {
  const { tenant, organization, actor } = caller;
  const exists = () =>
    new ApiError('INVITATION_EXISTS', 'This address is already invited or a member', { field: 'email', email });
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
        expired ? { put: address, ...absentOr({ invitationId: expired }), onConditionFailed: exists } : create(address, exists),
        // The expired invitation is removed, so that there is only one per person.
        ...(expired ? [{ remove: organizationKey.invitation(tenant, expired) }] : []),
        whileActive(tenant),
        create(invitation),
        linkOf(tenant, invitation),
        enqueue(tenant, { kind: 'send-invitation', invitationId: id }, now),
        emit(tenant, {
          schemas: invitationEvents,
          name: 'invitation.created',
          data: { organization: organizationRef(organization), invitation },
          now,
        }),
        ...countRecipient(caller, email, now),
      ],
      audit: [auditNote(tenant, { type: 'invitation', id, details: { email, role } })],
    },
  };
};

/** Cancels a pending invitation. Its address can be invited again. */
export const cancelInvitation = ({ tenant }: CallerContext, found: InvitationRecord | undefined, now: Date): Change =>
  endInvitation(tenant, { invitation: pending(found, now), status: 'cancelled', now });

/** Ends a pending invitation that is not accepted, and releases its address. */
export const endInvitation = (
  tenant: Tenant,
  {
    invitation: { id, email, role },
    status,
    now,
  }: { readonly invitation: InvitationRecord; readonly status: 'cancelled' | 'declined'; readonly now: Date },
): Change => ({
  writes: [
    set(
      organizationKey.invitation(tenant, id),
      { status, ttl: epochSeconds(after(now, keptSeconds)) },
      { expected: { status: 'pending' }, onConditionFailed: ended },
    ),
    { remove: organizationKey.address(tenant, email), ...absentOr({ invitationId: id }), onConditionFailed: ended },
    { remove: lookup.invited(email, tenant.organizationId) },
  ],
  audit: [auditNote(tenant, { type: 'invitation', id, details: { email, role } })],
});

/** Sets a new expiry and thereby a new link; earlier links stop working. Also works for an expired invitation. */
export const resendInvitation = (
  caller: CallerContext,
  found: InvitationRecord | undefined,
  now: Date,
): { invitation: InvitationRecord & { readonly resentAt: string }; change: Change } => {
  const { tenant } = caller;
  const invitation = pending(found, now);
  const { id, email, role } = invitation;
  const changes = { ...timesFrom(now), resentAt: iso(now) };
  const onConditionFailed = () => new StaleReadError();
  return {
    invitation: { ...invitation, ...changes },
    change: {
      writes: [
        set(organizationKey.invitation(tenant, id), changes, {
          expected: { status: 'pending', expiresAt: invitation.expiresAt },
          onConditionFailed,
        }),
        {
          put: { ...organizationKey.address(tenant, email), invitationId: id, ...timesFrom(now) },
          ...absentOr({ invitationId: id }),
          onConditionFailed,
        },
        linkOf(tenant, { ...invitation, ...changes }),
        enqueue(tenant, { kind: 'send-invitation', invitationId: id }, now),
        ...countRecipient(caller, email, now),
      ],
      audit: [auditNote(tenant, { type: 'invitation', id, details: { email, role, expiresAt: changes.expiresAt } })],
    },
  };
};

/** Marks the invitation as accepted and assigns its address to the member, unless it changed since it was read. */
export const acceptedWrites = (
  tenant: Tenant,
  { invitation, userId, now }: { readonly invitation: InvitationRecord; readonly userId: string; readonly now: Date },
): readonly Write[] => [
  set(
    organizationKey.invitation(tenant, invitation.id),
    { status: 'accepted', ttl: epochSeconds(after(now, keptSeconds)) },
    { expected: { status: 'pending', expiresAt: invitation.expiresAt }, onConditionFailed: ended },
  ),
  {
    put: { ...organizationKey.address(tenant, invitation.email), userId },
    ...absentOr({ invitationId: invitation.id }),
    onConditionFailed: ended,
  },
  { remove: lookup.invited(invitation.email, tenant.organizationId) },
];

/** Leads from the address to the invitation, so that it is offered to the person who signs in without its link. */
const linkOf = ({ organizationId }: Tenant, { id, email, ttl }: Pick<InvitationRecord, 'id' | 'email' | 'ttl'>): Write => ({
  put: { ...lookup.invited(email, organizationId), invitationId: id, ttl },
});

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
