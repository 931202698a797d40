/** Joining, changing roles and leaving. The role is stored only in the member's own item. */
import { auditNote } from '../../audit/index.ts';
import { type Role, roleAtLeast } from '../../contract/access.ts';
import { ApiError } from '../../contract/errors.ts';
import { memberEvents } from '../../contract/event-data/member-events.ts';
import { departureProjectsMax } from '../../contract/limits.ts';
import { emit, enqueue } from '../../event/index.ts';
import {
  absentOr,
  type Change,
  create,
  iso,
  remove,
  StaleReadError,
  set,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import { type CallerContext, organizationRef } from '../model/caller-context.ts';
import { countOf, roleRequired } from '../model/organization-guards.ts';
import { type ApiKeyRecord, lookup, type MemberRecord, organizationKey } from '../model/record.ts';
import { endKeysOf, type ServiceAccountKey } from '../service-account/end-keys-of.ts';
import { type MemberProfile, toMemberEvent } from './member-profile.ts';
import { transferOwnership } from './transfer-ownership.ts';

/** Adds a member, on both sides. The caller writes the address item and the member count. */
export const joinWrites = (
  tenant: Tenant,
  { userId, role, address, now }: { readonly userId: string; readonly role: Role; readonly address: string; readonly now: Date },
): readonly Write[] => {
  const joinedAt = iso(now);
  const { organizationId } = tenant;
  const alreadyIn = () => new ApiError('CONFLICT', 'This person is already a member');
  return [
    create({ ...organizationKey.member(tenant, userId), userId, role, address, joinedAt, updatedAt: joinedAt }, alreadyIn),
    { put: { ...lookup.membership(userId, organizationId), organizationId } },
    { put: { ...organizationKey.joined(tenant, joinedAt, userId), userId } },
  ];
};

interface RoleChange {
  readonly target: MemberProfile | undefined;
  readonly self: MemberProfile | undefined;
  readonly serviceAccount?: ServiceAccountKey | undefined;
  readonly apiKeys?: readonly GrantedKey[] | undefined;
}

/** Changes a role or transfers ownership. Setting the current role writes nothing, not even an audit entry. */
export const changeRole = (
  caller: CallerContext,
  {
    roleChange: { target, self, serviceAccount, apiKeys = [] },
    role,
    now,
  }: { readonly roleChange: RoleChange; readonly role: Role; readonly now: Date },
): { data: { userId: string; role: Role; updatedAt: string }; change: Change } => {
  const { tenant, organization } = caller;
  const { member, profile } = assertExists(target);
  assertAllowed(caller, member, role);
  if (member.role === role) return { data: member, change: { writes: [], audit: [] } };
  const data = { userId: member.userId, role, updatedAt: iso(now) };
  if (role === 'owner') return { data, change: transferOwnership(caller, { to: { member, profile }, self }, now) };
  // Making an API key requires role admin, and so does keeping one.
  const keepsKeys = roleAtLeast(role, 'admin');
  const keys = keepsKeys ? { writes: [], audit: [] } : endKeysOf(tenant, { userId: member.userId, found: serviceAccount, now });
  const changedMember = { ...toMemberEvent({ member, profile }, role), previousRole: member.role };
  return {
    data,
    change: {
      writes: [
        set(
          organizationKey.member(tenant, member.userId),
          { role, updatedAt: data.updatedAt },
          { expected: { role: member.role }, onConditionFailed: () => new StaleReadError() },
        ),
        ...keys.writes,
        emit(tenant, {
          schemas: memberEvents,
          name: 'member.role_changed',
          data: { organization: organizationRef(organization), member: changedMember },
          now,
        }),
      ],
      audit: [
        auditNote(tenant, {
          type: 'member',
          id: member.userId,
          details: { role, previousRole: member.role, ...(!keepsKeys && keyDetails(apiKeys)) },
        }),
        ...keys.audit,
      ],
    },
  };
};

/** What ends with a membership. */
export interface Departure {
  readonly target: MemberProfile | undefined;
  /** Projects connected with the member's grant, which become unauthorized. */
  readonly projects: readonly { readonly id: string; readonly name: string; readonly sourceProjectId: string }[];
  readonly serviceAccount: ServiceAccountKey | undefined;
  readonly apiKeys?: readonly GrantedKey[] | undefined;
}

/** An API key that the member answers for. It stays: it belongs to the organization. */
type GrantedKey = Pick<ApiKeyRecord, 'id' | 'name'>;

/** For the audit log: the keys that need a decision now. */
const keyDetails = (keys: readonly GrantedKey[]): { readonly apiKeys?: readonly GrantedKey[] } =>
  keys.length > 0 ? { apiKeys: keys.map(({ id, name }) => ({ id, name })) } : {};

/**
 * Removes a member, on both sides, and frees the address, so that the person can be invited again. Members may remove themselves. The
 * task revokes what is connected or created at the same moment.
 */
export const removeMember = (
  caller: CallerContext,
  { target, projects, serviceAccount, apiKeys = [] }: Departure,
  now: Date,
): Change => {
  const { tenant, organization } = caller;
  const existing = assertExists(target);
  const { userId, role, joinedAt, address } = existing.member;
  assertAllowed(caller, existing.member, undefined);
  const keys = endKeysOf(tenant, { userId, found: serviceAccount, now });
  const hasEnded = serviceAccount?.account.createdBy === userId;
  const event = {
    organization: organizationRef(organization),
    member: { ...toMemberEvent(existing), status: 'left' as const },
    projects: projects.slice(0, departureProjectsMax).map((project) => ({ ...project, status: 'unauthorized' as const })),
    projectCount: projects.length,
    serviceAccount: hasEnded ? { id: serviceAccount.account.id, name: serviceAccount.account.name } : null,
  };
  return {
    writes: [
      // The role as read: a member who became the owner meanwhile is not removed.
      remove(organizationKey.member(tenant, userId), () => new StaleReadError(), { role }),
      { remove: lookup.membership(userId, tenant.organizationId) },
      { remove: organizationKey.joined(tenant, joinedAt, userId) },
      { remove: organizationKey.address(tenant, address), ...absentOr({ userId }) },
      countOf(tenant, { counter: 'memberCount', amount: -1 }),
      ...keys.writes,
      emit(tenant, { schemas: memberEvents, name: 'member.left', data: event, now }),
      enqueue(tenant, { kind: 'finish-departure', userId }, now),
      // Incidents that were assigned to the member are no one's again.
      enqueue(tenant, { kind: 'assess-incidents' }, now),
    ],
    audit: [auditNote(tenant, { type: 'member', id: userId, details: { role, ...keyDetails(apiKeys) } }), ...keys.audit],
  };
};

const assertExists = (target: MemberProfile | undefined): MemberProfile => {
  if (!target) throw new ApiError('MEMBER_NOT_FOUND', 'Member not found');
  return target;
};

/** Only the owner changes or removes admins and transfers ownership. The owner's own role changes only by a transfer. */
const assertAllowed = ({ role, actor }: CallerContext, target: MemberRecord, wanted: Role | undefined): void => {
  const leaves = wanted === undefined && target.userId === actor.id;
  if (role !== 'owner' && !leaves && (wanted === 'owner' || target.role === 'admin')) throw roleRequired('owner', role);
  if (target.role === 'owner' && wanted !== 'owner') {
    throw new ApiError(
      'CANNOT_REMOVE_OWNER',
      'The owner can be neither removed nor demoted. Transfer ownership to another member first',
    );
  }
};
