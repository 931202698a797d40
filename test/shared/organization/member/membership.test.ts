import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { type Role, roles } from '../../../../shared/contract/access.ts';
import type { ApiError } from '../../../../shared/contract/errors.ts';
import type { EventData } from '../../../../shared/contract/events/event-catalogue.ts';
import { changeRole, type Departure, removeMember } from '../../../../shared/organization/member/membership.ts';
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
const memberWith = (role: Role, userId = targetId) => ({
  member: {
    userId,
    role,
    joinedAt: '2025-05-01T00:00:00.000Z',
    updatedAt: '2025-05-01T00:00:00.000Z',
    address: 'bob@example.com',
  } as unknown as MemberRecord,
  profile: undefined,
});
const self = memberWith('owner', callerId);
const departure = (target: Departure['target'], more: Partial<Departure> = {}): Departure => ({
  target,
  projects: [],
  serviceAccount: undefined,
  ...more,
});
const outcome = (run: () => unknown): string => {
  try {
    run();
    return 'done';
  } catch (error) {
    return (error as ApiError).code;
  }
};

/** The rules of roles: only the owner changes or removes admins and transfers ownership. */
const expected = (caller: Role, target: Role, wanted: Role | undefined): string => {
  if (caller !== 'owner' && (wanted === 'owner' || target === 'admin')) return 'PERMISSION_DENIED';
  if (target === 'owner' && wanted !== 'owner') return 'CANNOT_REMOVE_OWNER';
  return 'done';
};

for (const caller of ['admin', 'owner'] as const) {
  for (const target of roles) {
    for (const wanted of roles) {
      test(`changeRole: ${caller} changes ${target} to ${wanted}: ${expected(caller, target, wanted)}`, () =>
        equal(
          outcome(() => changeRole(acting(caller), { roleChange: { target: memberWith(target), self }, role: wanted, now })),
          expected(caller, target, wanted),
        ));
    }
    test(`removeMember: ${caller} removes ${target}: ${expected(caller, target, undefined)}`, () =>
      equal(
        outcome(() => removeMember(acting(caller), departure(memberWith(target)), now)),
        expected(caller, target, undefined),
      ));
  }
}

test('removeMember: PERMISSION_DENIED names the required and the current role', () =>
  throws(
    () => removeMember(acting('admin'), departure(memberWith('admin')), now),
    (error: ApiError) => {
      deepEqual(error.details, { requiredRole: 'owner', currentRole: 'admin' });
      return true;
    },
  ));

test('membership: an unknown member is MEMBER_NOT_FOUND', () => {
  equal(
    outcome(() => changeRole(acting('owner'), { roleChange: { target: undefined, self: undefined }, role: 'viewer', now })),
    'MEMBER_NOT_FOUND',
  );
  equal(
    outcome(() => removeMember(acting('owner'), departure(undefined), now)),
    'MEMBER_NOT_FOUND',
  );
});

test('changeRole: setting the current role writes nothing', () => {
  const { data, change } = changeRole(acting('owner'), {
    roleChange: { target: memberWith('viewer'), self: undefined },
    role: 'viewer',
    now,
  });
  deepEqual(change, { writes: [], audit: [] });
  equal(data.updatedAt, '2025-05-01T00:00:00.000Z');
});

const rolesWritten = (writes: readonly Write[]) =>
  writes.flatMap((write) =>
    'update' in write && write.update.sk.startsWith('MEMBER#')
      ? [[write.update.sk, write.values?.[':was_role'], write.values?.[':role']]]
      : [],
  );

test('transferOwnership: the member becomes owner and the owner admin, each only from the role that was read', () => {
  const { change } = changeRole(acting('owner'), { roleChange: { target: memberWith('viewer'), self }, role: 'owner', now });
  deepEqual(rolesWritten(change.writes), [
    [`MEMBER#${targetId}`, 'viewer', 'owner'],
    [`MEMBER#${callerId}`, 'owner', 'admin'],
  ]);
  deepEqual(
    change.audit.map(({ resource }) => resource.id),
    [targetId, callerId],
  );
});

test('transferOwnership: requires that the caller still owns the organization', () => {
  const { change } = changeRole(acting('owner'), { roleChange: { target: memberWith('admin'), self }, role: 'owner', now });
  const organization = change.writes.find((write) => 'update' in write && write.update.sk === 'META');
  equal(organization?.values?.[':was_ownerId'], callerId);
  equal(organization?.values?.[':ownerId'], targetId);
});

test('transferOwnership: member.role_changed is emitted for both members', () => {
  const { change } = changeRole(acting('owner'), { roleChange: { target: memberWith('viewer'), self }, role: 'owner', now });
  const changed = change.writes.flatMap((write) =>
    'put' in write && write.put.type === 'member.role_changed'
      ? [(write.put.data as EventData<'member.role_changed'>).member]
      : [],
  );
  deepEqual(
    changed.map(({ userId, role, previousRole, status, joinedAt }) => ({ userId, role, previousRole, status, joinedAt })),
    [
      { userId: targetId, role: 'owner', previousRole: 'viewer', status: 'active', joinedAt: '2025-05-01T00:00:00.000Z' },
      { userId: callerId, role: 'admin', previousRole: 'owner', status: 'active', joinedAt: '2025-05-01T00:00:00.000Z' },
    ],
  );
});

/** A handler whose reads were stale runs again: the second of two identical calls then finds the role it was to set. */
test('membership: a role change or removal that conflicts with a concurrent change is retried', async () => {
  const { change } = changeRole(acting('owner'), { roleChange: { target: memberWith('member'), self }, role: 'viewer', now });
  for (const [write] of [change.writes, removeMember(acting('owner'), departure(memberWith('member')), now).writes])
    equal((await write?.onConditionFailed?.()) instanceof StaleReadError, true);
  const again = changeRole(acting('owner'), { roleChange: { target: memberWith('viewer'), self }, role: 'viewer', now });
  deepEqual([again.data.role, again.change], ['viewer', { writes: [], audit: [] }]);
});

for (const role of ['viewer', 'member', 'admin'] as const)
  test(`removeMember: a caller with role ${role} can leave`, () =>
    equal(
      outcome(() => removeMember(acting(role), departure(memberWith(role, callerId)), now)),
      'done',
    ));

test('removeMember: the owner cannot leave before a transfer', () =>
  equal(
    outcome(() => removeMember(acting('owner'), departure(memberWith('owner', callerId)), now)),
    'CANNOT_REMOVE_OWNER',
  ));

const accountWith = (createdBy: string, previousBy?: string) =>
  ({
    account: { id: 'sa_01JWNVAV000000000000000003', name: 'CI', createdBy },
    key: {
      fingerprint: 'f',
      ...(previousBy && { previous: { fingerprint: 'p', expiresAt: '2025-06-02', createdBy: previousBy } }),
    },
  }) as unknown as NonNullable<Departure['serviceAccount']>;
const eventOf = (writes: readonly Write[]) =>
  writes.flatMap((write) =>
    'put' in write && write.put.type === 'member.left' ? [write.put.data as EventData<'member.left'>] : [],
  )[0];

test('removeMember: member.left names the projects and the service account that end with the membership', () => {
  const project = { id: 'prj_1', name: 'Shop', sourceProjectId: 'shop' };
  const more = { projects: [project], serviceAccount: accountWith(targetId) };
  const { writes, audit } = removeMember(acting('owner'), departure(memberWith('member'), more), now);
  const { projects, serviceAccount } = eventOf(writes)!;
  deepEqual(projects, [{ ...project, status: 'unauthorized' }]);
  deepEqual(serviceAccount, { id: 'sa_01JWNVAV000000000000000003', name: 'CI' });
  deepEqual(
    audit.map(({ action }) => action),
    [undefined, 'service_account.ended'],
  );
});

test('removeMember: member.left lists at most 100 projects and counts all of them', () => {
  const projects = Array.from({ length: 5_000 }, (_, n) => ({
    id: `prj_${n}`,
    name: 'x'.repeat(100),
    sourceProjectId: `shop-${n}`,
  }));
  const event = eventOf(removeMember(acting('owner'), departure(memberWith('member'), { projects }), now).writes)!;
  equal(event.projects?.length, 100);
  equal(event.projectCount, 5_000);
});

test('removeMember: a key of another user stays, but the key that the member made before a rotation ends', () => {
  const more = { serviceAccount: accountWith(callerId, targetId) };
  const { writes, audit } = removeMember(acting('owner'), departure(memberWith('member'), more), now);
  equal(eventOf(writes)?.serviceAccount, null);
  const [key] = writes.filter((write) => 'update' in write && write.update.pk.startsWith('APIKEY#'));
  deepEqual(key && 'expression' in key && key.expression, 'REMOVE #previous');
  equal(audit.at(-1)?.action, 'service_account.previous_key_ended');
  const others = removeMember(acting('owner'), departure(memberWith('member'), { serviceAccount: accountWith(callerId) }), now);
  ok(!others.writes.some((write) => 'update' in write && write.update.pk.startsWith('APIKEY#')));
});

test('changeRole: below admin, an API key that the member created ends; above, it stays', () => {
  const endedBy = (role: 'admin' | 'member') => {
    const found = { target: memberWith('admin'), self, serviceAccount: accountWith(targetId) };
    return changeRole(acting('owner'), { roleChange: found, role, now }).change.audit.map(({ action }) => action);
  };
  deepEqual(endedBy('member'), [undefined, 'service_account.ended']);
  deepEqual(endedBy('admin'), []);
});
