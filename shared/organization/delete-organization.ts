/** Deleting an organization, for 30 days or for good, and bringing it back. */
import { ApiError, invalid } from '../contract/errors.ts';
import { recoverySeconds } from '../contract/limits.ts';
import { emit, enqueue } from '../event/index.ts';
import { after, type Change, iso, type Key, set, unsafeTenant } from '../platform/index.ts';
import { type CallerContext, organizationRef } from './model/caller-context.ts';
import { noSuchOrganization } from './model/organization-guards.ts';
import { type DueRecord, lookup, type MemberRecord, type OrganizationRecord, organizationKey } from './model/record.ts';
import { settingsOf } from './update-settings.ts';

export interface Deletion {
  readonly id: string;
  readonly deleted: true;
  readonly deletionType: 'soft' | 'permanent';
  readonly recoveryDeadline: string | null;
}

/** Where the sweep finds a deleted organization: by its deadline or, deleted for good, by the moment it was. */
export const dueKey = ({ id, deletedAt = '', recoveryDeadline = deletedAt }: OrganizationRecord): Key =>
  lookup.due(recoveryDeadline, id);

/** Nothing can be called in it from then on. With `force` its purge is asked for in the same transaction. */
export const deleteOrganization = (
  { tenant, organization, actor }: CallerContext,
  wish: { readonly confirmName: string; readonly force?: boolean | undefined; readonly deleteBackupData?: boolean | undefined },
  now: Date,
): { data: Deletion; change: Change } => {
  const { force = false, deleteBackupData = false } = wish;
  const { id, name } = organization;
  if (wish.confirmName !== name) throw invalid('confirmName', 'must be the name of the organization, letter by letter');
  const deletedAt = iso(now);
  const recoveryDeadline = force ? undefined : iso(after(now, recoverySeconds));
  const deletionType = force ? 'permanent' : 'soft';
  const told = {
    ...organizationRef(organization),
    deleted: true,
    deletionType,
    recoveryDeadline: recoveryDeadline ?? null,
  } as const;
  const due: DueRecord = {
    ...lookup.due(recoveryDeadline ?? deletedAt, id),
    organizationId: id,
    deleteBackupData,
  };
  return {
    data: { id, deleted: true, deletionType, recoveryDeadline: told.recoveryDeadline },
    change: {
      writes: [
        set(
          organizationKey.organization(tenant),
          { deletedAt, recoveryDeadline },
          // What was confirmed: this name, by this owner.
          { expected: { deletedAt: undefined, name, ownerId: actor.id } },
        ),
        { put: due },
        // Nothing more is started by a clock.
        enqueue(tenant, { kind: 'sync-schedules' }, now),
        ...(force ? [enqueue(tenant, { kind: 'purge-organization', deleteBackupData }, now)] : []),
        emit(tenant, 'organization.deleted', { organization: told }, now),
      ],
      audit: [
        {
          scope: id,
          resource: { type: 'organization', id },
          details: { deletionType, recoveryDeadline: told.recoveryDeadline, deleteBackupData },
        },
      ],
    },
  };
};

/** Undoes a soft deletion until its deadline. What is past saving answers like what never was. */
export const recoverOrganization = (
  userId: string,
  organization: OrganizationRecord | undefined,
  member: MemberRecord | undefined,
  now: Date,
): { organization: OrganizationRecord; change: Change } => {
  if (!organization || !member) throw noSuchOrganization();
  const { id, deletedAt, recoveryDeadline, ...kept } = organization;
  if (deletedAt && (recoveryDeadline ?? '') <= iso(now)) throw noSuchOrganization();
  if (organization.ownerId !== userId) {
    throw new ApiError('PERMISSION_DENIED', 'This needs the role owner', { requiredRole: 'owner', currentRole: member.role });
  }
  if (!deletedAt) throw new ApiError('CONFLICT', 'This organization is not deleted');
  const tenant = unsafeTenant(id, 'owner');
  const recovered: OrganizationRecord = { ...kept, id, pk: organization.pk, sk: organization.sk, updatedAt: iso(now) };
  return {
    organization: recovered,
    change: {
      writes: [
        set(
          organizationKey.organization(tenant),
          { deletedAt: undefined, recoveryDeadline: undefined, updatedAt: recovered.updatedAt },
          { expected: { deletedAt, recoveryDeadline, ownerId: userId } },
        ),
        { remove: dueKey(organization) },
        enqueue(tenant, { kind: 'sync-schedules' }, now),
        emit(tenant, 'organization.updated', { organization: { ...recovered, settings: settingsOf(recovered) } }, now),
      ],
      audit: [{ scope: id, resource: { type: 'organization', id } }],
    },
  };
};
