import { equal, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import type { UserRecord } from '../../../../shared/account/index.ts';
import type { ApiError } from '../../../../shared/contract/errors.ts';
import {
  acceptInvitation,
  declineInvitation,
  type FoundInvitation,
  invitationStatus,
} from '../../../../shared/organization/invitation/accept-invitation.ts';
import { cancelInvitation, invite, resendInvitation } from '../../../../shared/organization/invitation/invite.ts';
import type { CallerContext } from '../../../../shared/organization/model/caller-context.ts';
import type { InvitationRecord, MemberRecord, OrganizationRecord } from '../../../../shared/organization/model/record.ts';
import { StaleReadError, unsafeTenant } from '../../../../shared/platform/index.ts';

const now = new Date('2025-06-01T12:00:00.000Z');
const later = (days: number) => new Date(now.getTime() + days * 24 * 3_600_000);
const organizationId = 'org_01JWNVAV000000000000000000';
const acting: CallerContext = {
  tenant: unsafeTenant(organizationId, 'record'),
  organization: { id: organizationId, name: 'Acme' } as unknown as OrganizationRecord,
  role: 'admin',
  actor: { type: 'user', id: 'usr_01JWNVAV000000000000000001', email: 'ann@example.com' },
};
const input = { email: 'bob@example.com', role: 'member' } as const;
const { invitation, change } = invite(acting, { holder: undefined, ...input, now });
const refused = (code: string) => (error: unknown) => (error as ApiError).code === code;

test('invite: an invitation is open for exactly seven days', () => {
  equal(invitation.expiresAt, '2025-06-08T12:00:00.000Z');
  equal(invitationStatus(invitation, new Date(later(7).getTime() - 1)), 'pending');
  equal(invitationStatus(invitation, later(7)), 'expired');
});

test('invite: the e-mail is enqueued in the same transaction', () =>
  ok(change.writes.some((write) => 'put' in write && write.put.sk.startsWith('TASK#'))));

const holder = { pk: 'x', sk: 'x', invitationId: invitation.id, expiresAt: invitation.expiresAt };
test('invite: an address with an open invitation is INVITATION_EXISTS', () =>
  throws(() => invite(acting, { holder, ...input, now: later(6) }), refused('INVITATION_EXISTS')));
test('invite: the address of a member is INVITATION_EXISTS', () =>
  throws(
    () => invite(acting, { holder: { pk: 'x', sk: 'x', userId: 'usr_x' }, ...input, now: later(400) }),
    refused('INVITATION_EXISTS'),
  ));
test('invite: an expired invitation of the address is replaced', () => {
  const { change } = invite(acting, { holder, ...input, now: later(7) });
  ok(change.writes.some((write) => 'remove' in write && write.remove.sk === `INVITE#${invitation.id}`));
});

for (const status of ['accepted', 'cancelled', 'declined'] as const) {
  test(`invitation: ${status} can be neither cancelled nor resent`, () => {
    throws(() => cancelInvitation(acting, { ...invitation, status }, now), refused('CONFLICT'));
    throws(() => resendInvitation(acting, { ...invitation, status }, now), refused('CONFLICT'));
  });
}

test('invitation: an unknown or expired record is INVITATION_NOT_FOUND', () => {
  for (const found of [undefined, { ...invitation, ttl: now.getTime() / 1_000 }]) {
    throws(() => cancelInvitation(acting, found, now), refused('INVITATION_NOT_FOUND'));
    throws(() => resendInvitation(acting, found, now), refused('INVITATION_NOT_FOUND'));
  }
});

test('resendInvitation: the expiry moves to seven days from now, also after it has expired', () =>
  equal(resendInvitation(acting, invitation, later(10)).invitation.expiresAt, later(17).toISOString()));

const found = (
  over: { profile?: Partial<UserRecord>; invitation?: Partial<InvitationRecord>; member?: MemberRecord } = {},
): FoundInvitation => ({
  ...acting,
  invitation: { ...invitation, ...over.invitation },
  profile: {
    id: 'usr_01JWNVAV000000000000000002',
    email: 'Bob@Example.com',
    emailVerified: true,
    name: 'Bob',
    ...over.profile,
  } as unknown as UserRecord,
  member: over.member,
});

test('acceptInvitation: the verified address is compared without case, and its user becomes a member', () => {
  const { writes } = acceptInvitation(found(), now);
  ok(
    writes.some(
      (write) => 'put' in write && write.put.sk === 'MEMBER#usr_01JWNVAV000000000000000002' && write.put.role === 'member',
    ),
  );
});

for (const [who, over, code, at] of [
  ['another address', { profile: { email: 'eve@example.com' } }, 'FORBIDDEN', now],
  ['a plus-address', { profile: { email: 'bob+x@example.com' } }, 'FORBIDDEN', now],
  ['an unverified address', { profile: { emailVerified: false } }, 'FORBIDDEN', now],
  ['a look-alike in full-width letters', { profile: { email: 'bo\uff42@example.com' } }, 'FORBIDDEN', now],
  [
    'a look-alike with the Kelvin sign',
    { profile: { email: 'mi\u212ae@example.com' }, invitation: { email: 'mike@example.com' } },
    'FORBIDDEN',
    now,
  ],
  ['a user after the expiry', {}, 'CONFLICT', later(7)],
  ['a user after the cancellation', { invitation: { status: 'cancelled' } }, 'CONFLICT', now],
  ['a user after the acceptance', { invitation: { status: 'accepted' } }, 'CONFLICT', now],
  ['a member', { member: {} as MemberRecord }, 'CONFLICT', now],
] as const) {
  test(`acceptInvitation: ${who} is rejected with ${code}`, () => throws(() => acceptInvitation(found(over), at), refused(code)));
}

test('declineInvitation: only the invited person can, once, and the address can be invited again', () => {
  const { writes } = declineInvitation(found({}), now);
  ok(writes.some((write) => 'remove' in write && write.remove.sk === `ADDRESS#${invitation.email}`));
  throws(() => declineInvitation(found({ profile: { email: 'eve@example.com' } }), now), refused('FORBIDDEN'));
  throws(() => declineInvitation(found({ invitation: { ...invitation, status: 'declined' } }), now), refused('CONFLICT'));
});

test('resendInvitation: a conflict with a concurrent change is retried', async () => {
  const { change } = resendInvitation(acting, invitation, now);
  const [invitationWrite, addressWrite] = change.writes;
  for (const { onConditionFailed } of [invitationWrite!, addressWrite!])
    ok((await onConditionFailed?.()) instanceof StaleReadError);
});
