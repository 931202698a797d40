import { equal, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import type { UserRecord } from '../../../../shared/account/index.ts';
import type { ApiError } from '../../../../shared/contract/errors.ts';
import {
  acceptInvitation,
  type FoundInvitation,
  statusOf,
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
const wish = { email: 'bob@example.com', role: 'member' } as const;
const { invitation, change } = invite(acting, undefined, wish, now);
const refused = (code: string) => (error: unknown) => (error as ApiError).code === code;

test('an invitation is open for seven days, to the millisecond', () => {
  equal(invitation.expiresAt, '2025-06-08T12:00:00.000Z');
  equal(statusOf(invitation, new Date(later(7).getTime() - 1)), 'pending');
  equal(statusOf(invitation, later(7)), 'expired');
});

test('an invitation sends its mail in the transaction that makes it', () =>
  ok(change.writes.some((write) => 'put' in write && write.put.sk.startsWith('TASK#'))));

const holder = { pk: 'x', sk: 'x', invitationId: invitation.id, expiresAt: invitation.expiresAt };
test('an address with an open invitation is not invited again', () =>
  throws(() => invite(acting, holder, wish, later(6)), refused('INVITATION_EXISTS')));
test('an address of a member is not invited', () =>
  throws(() => invite(acting, { pk: 'x', sk: 'x', userId: 'usr_x' }, wish, later(400)), refused('INVITATION_EXISTS')));
test('an address whose invitation expired is invited anew, and the expired one removed', () => {
  const { change } = invite(acting, holder, wish, later(7));
  ok(change.writes.some((write) => 'remove' in write && write.remove.sk === `INVITE#${invitation.id}`));
});

for (const status of ['accepted', 'cancelled'] as const) {
  test(`an invitation that is ${status} can be neither cancelled nor sent again`, () => {
    throws(() => cancelInvitation(acting, { ...invitation, status }, now), refused('CONFLICT'));
    throws(() => resendInvitation(acting, { ...invitation, status }, now), refused('CONFLICT'));
  });
}

test('an invitation that is unknown or forgotten is not found', () => {
  for (const found of [undefined, { ...invitation, ttl: now.getTime() / 1_000 }]) {
    throws(() => cancelInvitation(acting, found, now), refused('INVITATION_NOT_FOUND'));
    throws(() => resendInvitation(acting, found, now), refused('INVITATION_NOT_FOUND'));
  }
});

test('sending again gives seven new days, also after it expired', () =>
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

test('the invited person, by the verified address in any case of letters, becomes a member', () => {
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
  ['someone too late', {}, 'CONFLICT', later(7)],
  ['someone after it was cancelled', { invitation: { status: 'cancelled' } }, 'CONFLICT', now],
  ['someone after it was accepted', { invitation: { status: 'accepted' } }, 'CONFLICT', now],
  ['a member', { member: {} as MemberRecord }, 'CONFLICT', now],
] as const) {
  test(`${who} cannot accept: ${code}`, () => throws(() => acceptInvitation(found(over), at), refused(code)));
}

test('a resend that meets a concurrent change of the invitation is decided again', async () => {
  const { change } = resendInvitation(acting, invitation, now);
  const conditional = change.writes.filter(({ condition }) => condition !== undefined);
  equal(conditional.length, 2);
  for (const { onConditionFailed } of conditional) ok((await onConditionFailed?.()) instanceof StaleReadError);
});
