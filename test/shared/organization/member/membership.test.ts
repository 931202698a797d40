import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { type Role, roles } from '../../../../shared/contract/access.ts';
import type { ApiError } from '../../../../shared/contract/errors.ts';
import type { EventData } from '../../../../shared/contract/events/event-catalogue.ts';
import { changeRole, removeMember } from '../../../../shared/organization/member/membership.ts';
import type { CallerContext } from '../../../../shared/organization/model/caller-context.ts';
import type { MemberRecord, OrganizationRecord } from '../../../../shared/organization/model/record.ts';
import { StaleReadError, unsafeTenant, type Write } from '../../../../shared/platform/index.ts';

const now = new Date('2025-06-01T12:00:00Z');
const organizationId = 'org_01JWNVAV000000000000000000';
const callerId = 'usr_01JWNVAV000000000000000001';
const targetId = 'usr_01JWNVAV000000000000000002';
const acting = (role: Role): CallerContext => ({
  tenant: unsafeTenant(organizationId, 'record'),
  organization: { id: organizationId, name: 'Acme', ownerId: callerId } as unknown as OrganizationRecord,
  role,
  actor: { type: 'user', id: callerId, email: 'ann@example.com' },
});
const fellow = (role: Role, userId = targetId) => ({
  member: {
    userId,
    role,
    joinedAt: '2025-05-01T00:00:00.000Z',
    updatedAt: '2025-05-01T00:00:00.000Z',
    address: 'bob@example.com',
  } as unknown as MemberRecord,
  profile: undefined,
});
const self = fellow('owner', callerId);
const outcome = (run: () => unknown): string => {
  try {
    run();
    return 'done';
  } catch (error) {
    return (error as ApiError).code;
  }
};

/** decisions.md section 4, as a table of its own: changing or removing an admin and making someone owner is the owner's. */
const expected = (caller: Role, target: Role, wanted: Role | undefined): string => {
  if (caller !== 'owner' && (wanted === 'owner' || target === 'admin')) return 'PERMISSION_DENIED';
  if (target === 'owner' && wanted !== 'owner') return 'CANNOT_REMOVE_OWNER';
  return 'done';
};

for (const caller of ['admin', 'owner'] as const) {
  for (const target of roles) {
    for (const wanted of roles) {
      test(`${caller} makes ${target} ${wanted}: ${expected(caller, target, wanted)}`, () =>
        equal(
          outcome(() => changeRole(acting(caller), { target: fellow(target), self }, wanted, now)),
          expected(caller, target, wanted),
        ));
    }
    test(`${caller} removes ${target}: ${expected(caller, target, undefined)}`, () =>
      equal(
        outcome(() => removeMember(acting(caller), fellow(target), now)),
        expected(caller, target, undefined),
      ));
  }
}

test('a refusal for want of the owner names the role that is needed and the one the caller has', () =>
  throws(
    () => removeMember(acting('admin'), fellow('admin'), now),
    (error: ApiError) => {
      deepEqual(error.details, { requiredRole: 'owner', currentRole: 'admin' });
      return true;
    },
  ));

test('someone who is not a member is not found, whatever is asked', () => {
  equal(
    outcome(() => changeRole(acting('owner'), { target: undefined, self: undefined }, 'viewer', now)),
    'MEMBER_NOT_FOUND',
  );
  equal(
    outcome(() => removeMember(acting('owner'), undefined, now)),
    'MEMBER_NOT_FOUND',
  );
});

test('giving a member the role it has changes nothing and leaves no trace', () => {
  const { data, change } = changeRole(acting('owner'), { target: fellow('viewer'), self: undefined }, 'viewer', now);
  deepEqual(change, { writes: [], audit: [] });
  equal(data.updatedAt, '2025-05-01T00:00:00.000Z');
});

const rolesWritten = (writes: readonly Write[]) =>
  writes.flatMap((write) =>
    'update' in write && write.update.sk.startsWith('MEMBER#')
      ? [[write.update.sk, write.values?.[':was_role'], write.values?.[':role']]]
      : [],
  );

test('a transfer turns the member into the owner and the owner into an admin, each only from the role it had', () => {
  const { change } = changeRole(acting('owner'), { target: fellow('viewer'), self }, 'owner', now);
  deepEqual(rolesWritten(change.writes), [
    [`MEMBER#${targetId}`, 'viewer', 'owner'],
    [`MEMBER#${callerId}`, 'owner', 'admin'],
  ]);
  deepEqual(
    change.audit.map(({ resource }) => resource.id),
    [targetId, callerId],
  );
});

test('a transfer counts only while the caller owns the organization', () => {
  const { change } = changeRole(acting('owner'), { target: fellow('admin'), self }, 'owner', now);
  const organization = change.writes.find((write) => 'update' in write && write.update.sk === 'META');
  equal(organization?.values?.[':was_ownerId'], callerId);
  equal(organization?.values?.[':ownerId'], targetId);
});

test('subscribers are told of both whose roles a transfer changes', () => {
  const { change } = changeRole(acting('owner'), { target: fellow('viewer'), self }, 'owner', now);
  const told = change.writes.flatMap((write) =>
    'put' in write && write.put.type === 'member.role_changed'
      ? [(write.put.data as EventData<'member.role_changed'>).member]
      : [],
  );
  deepEqual(
    told.map(({ userId, role, previousRole, status, joinedAt }) => ({ userId, role, previousRole, status, joinedAt })),
    [
      { userId: targetId, role: 'owner', previousRole: 'viewer', status: 'active', joinedAt: '2025-05-01T00:00:00.000Z' },
      { userId: callerId, role: 'admin', previousRole: 'owner', status: 'active', joinedAt: '2025-05-01T00:00:00.000Z' },
    ],
  );
});

/** A handler whose reads were stale runs again: the second of two identical calls then finds the role it was to set. */
test('a role change or removal that meets a concurrent change of the member is decided again', async () => {
  const { change } = changeRole(acting('owner'), { target: fellow('member'), self }, 'viewer', now);
  for (const [write] of [change.writes, removeMember(acting('owner'), fellow('member'), now).writes])
    equal((await write?.onConditionFailed?.()) instanceof StaleReadError, true);
  const again = changeRole(acting('owner'), { target: fellow('viewer'), self }, 'viewer', now);
  deepEqual([again.data.role, again.change], ['viewer', { writes: [], audit: [] }]);
});
