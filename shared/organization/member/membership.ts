/** Joining, changing roles and leaving. A role is written in one place, the member's own item. */
import type { Role } from '../../contract/access.ts';
import { ApiError } from '../../contract/errors.ts';
import { emit } from '../../event/index.ts';
import { type Change, create, iso, set, type Tenant, type Write } from '../../platform/index.ts';
import { type CallerContext, organizationRef } from '../model/caller-context.ts';
import { countMembers } from '../model/organization-guards.ts';
import { lookup, type MemberRecord, organizationKey } from '../model/record.ts';
import { type MemberProfile, toMemberEvent } from './member-profile.ts';
import { transferOwnership } from './transfer-ownership.ts';

/** Makes someone a member, on both sides. Whose address it is and how many members there are is the caller's to write. */
export const joinWrites = (tenant: Tenant, userId: string, role: Role, address: string, now: Date): readonly Write[] => {
  const joinedAt = iso(now);
  const { organizationId } = tenant;
  const alreadyIn = () => new ApiError('CONFLICT', 'This person is a member already');
  return [
    create({ ...organizationKey.member(tenant, userId), userId, role, address, joinedAt, updatedAt: joinedAt }, alreadyIn),
    { put: { ...lookup.membership(userId, organizationId), organizationId } },
    { put: { ...organizationKey.joined(tenant, joinedAt, userId), userId } },
  ];
};

const changed = () => new ApiError('CONFLICT', 'Someone else changed this member at the same moment; read it again');

/** Changes a role, or hands over ownership. Giving a member the role it has changes nothing and leaves no trace. */
export const changeRole = (
  acting: CallerContext,
  { target, self }: { readonly target: MemberProfile | undefined; readonly self: MemberProfile | undefined },
  role: Role,
  now: Date,
): { data: { userId: string; role: Role; updatedAt: string }; change: Change } => {
  const { tenant, organization } = acting;
  const { member, profile } = existing(target);
  refuseUnlessAllowed(acting, member, role);
  if (member.role === role) return { data: member, change: { writes: [], audit: [] } };
  const data = { userId: member.userId, role, updatedAt: iso(now) };
  if (role === 'owner') return { data, change: transferOwnership(acting, { to: { member, profile }, self }, now) };
  const told = { ...toMemberEvent({ member, profile }, role), previousRole: member.role };
  return {
    data,
    change: {
      writes: [
        set(
          organizationKey.member(tenant, member.userId),
          { role, updatedAt: data.updatedAt },
          { expected: { role: member.role }, onConditionFailed: changed },
        ),
        emit(tenant, 'member.role_changed', { organization: organizationRef(organization), member: told }, now),
      ],
      audit: [
        {
          scope: tenant.organizationId,
          resource: { type: 'member', id: member.userId },
          details: { role, previousRole: member.role },
        },
      ],
    },
  };
};

/** Takes someone out, on both sides, and frees the address, so that the person can be invited again. */
export const removeMember = (acting: CallerContext, target: MemberProfile | undefined, now: Date): Change => {
  const { tenant, organization } = acting;
  const fellow = existing(target);
  const { userId, role, joinedAt, address } = fellow.member;
  refuseUnlessAllowed(acting, fellow.member, undefined);
  return {
    writes: [
      // The role as read: whoever has become the owner meanwhile stays.
      {
        remove: organizationKey.member(tenant, userId),
        condition: '#role = :role',
        names: { '#role': 'role' },
        values: { ':role': role },
        onConditionFailed: changed,
      },
      { remove: lookup.membership(userId, tenant.organizationId) },
      { remove: organizationKey.joined(tenant, joinedAt, userId) },
      {
        remove: organizationKey.address(tenant, address),
        condition: 'attribute_not_exists(pk) OR userId = :userId',
        values: { ':userId': userId },
      },
      countMembers(tenant, -1),
      emit(
        tenant,
        'member.left',
        { organization: organizationRef(organization), member: { ...toMemberEvent(fellow), status: 'left' } },
        now,
      ),
    ],
    audit: [{ scope: tenant.organizationId, resource: { type: 'member', id: userId }, details: { role } }],
  };
};

const existing = (fellow: MemberProfile | undefined): MemberProfile => {
  if (!fellow) throw new ApiError('MEMBER_NOT_FOUND', 'There is no such member');
  return fellow;
};

/** Changing or removing an admin and making someone owner is the owner's; the owner's own role only leaves by transfer. */
const refuseUnlessAllowed = ({ role }: CallerContext, target: MemberRecord, wanted: Role | undefined): void => {
  if (role !== 'owner' && (wanted === 'owner' || target.role === 'admin')) {
    throw new ApiError('PERMISSION_DENIED', 'This needs the role owner', { requiredRole: 'owner', currentRole: role });
  }
  if (target.role === 'owner' && wanted !== 'owner') {
    throw new ApiError('CANNOT_REMOVE_OWNER', 'Make another member the owner first');
  }
};
