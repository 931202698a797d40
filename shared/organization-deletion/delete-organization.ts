/** Deletes an organization, recoverably for 30 days or permanently, and recovers it. */
import { auditNote } from '../audit/index.ts';
import { ApiError, invalid } from '../contract/errors.ts';
import { organizationEvents } from '../contract/event-data/organization-events.ts';
import { recoverySeconds } from '../contract/limits.ts';
import { visibleText } from '../contract/visible-text.ts';
import { emit, enqueue } from '../event/index.ts';
import {
  type CallerContext,
  lookup,
  type MemberRecord,
  noSuchOrganization,
  type OrganizationRecord,
  organizationKey,
  type PurgeDueRecord,
  roleRequired,
  settingsOf,
} from '../organization/index.ts';
import { after, type Change, iso, type Key, StaleReadError, set, unsafeTenant } from '../platform/index.ts';

interface Deletion {
  readonly id: string;
  readonly deleted: true;
  readonly deletionType: 'soft' | 'permanent';
  readonly recoveryDeadline: string | null;
}

/** The item by which the sweep finds a deleted organization: sorted by its deadline or, if permanent, by its deletion. */
export const dueKey = ({ id, deletedAt = '', recoveryDeadline = deletedAt }: OrganizationRecord): Key =>
  lookup.due(recoveryDeadline, id);

/** For calls that do something before the deletion itself. */
export const assertNameConfirmed = ({ name }: Pick<OrganizationRecord, 'name'>, confirmName: string): void => {
  if (visibleText(confirmName) !== visibleText(name))
    throw invalid('confirmName', 'must match the name of the organization exactly');
};

/**
 * Blocks all calls in the organization. With `force` the purge is enqueued in the same transaction. The organization must have been
 * read before its running jobs were: StaleReadError if another was started since.
 */
export const deleteOrganization = (
  { tenant, organization, actor }: CallerContext,
  input: { readonly confirmName: string; readonly force?: boolean | undefined; readonly deleteBackupData?: boolean | undefined },
  now: Date,
): { data: Deletion; change: Change } => {
  const { force = false, deleteBackupData = false } = input;
  const { id, name, jobsStarted } = organization;
  assertNameConfirmed(organization, input.confirmName);
  const deletedAt = iso(now);
  const recoveryDeadline = force ? undefined : iso(after(now, recoverySeconds));
  const deletionType = force ? 'permanent' : 'soft';
  const data: Deletion = { id, deleted: true, deletionType, recoveryDeadline: recoveryDeadline ?? null };
  const due: PurgeDueRecord = { ...lookup.due(recoveryDeadline ?? deletedAt, id), organizationId: id, deleteBackupData };
  return {
    data,
    change: {
      writes: [
        set(
          organizationKey.organization(tenant),
          { deletedAt, recoveryDeadline },
          // The caller confirmed this name, as this owner.
          { expected: { deletedAt: undefined, name, ownerId: actor.id, jobsStarted }, onConditionFailed: staleRead },
        ),
        { put: due },
        // Removes the Scheduler's entries.
        enqueue(tenant, { kind: 'sync-schedules' }, now),
        enqueue(tenant, force ? { kind: 'purge-organization', deleteBackupData } : { kind: 'notify-organization-deleted' }, now),
        emit(tenant, {
          schemas: organizationEvents,
          name: 'organization.deleted',
          data: { organization: { ...data, name } },
          now,
        }),
      ],
      audit: [
        auditNote(tenant, {
          type: 'organization',
          id,
          details: { deletionType, recoveryDeadline: data.recoveryDeadline, deleteBackupData },
        }),
      ],
    },
  };
};

/** The handler runs again, with what is true by then. */
const staleRead = (): StaleReadError => new StaleReadError();

/** Reverts a soft deletion until its deadline. After it, throws ORGANIZATION_NOT_FOUND. */
export const recoverOrganization = (
  userId: string,
  {
    organization,
    member,
    now,
  }: { readonly organization: OrganizationRecord | undefined; readonly member: MemberRecord | undefined; readonly now: Date },
): { organization: OrganizationRecord; change: Change } => {
  if (!organization || !member) throw noSuchOrganization();
  const { id, deletedAt, recoveryDeadline, ...kept } = organization;
  if (deletedAt && (recoveryDeadline ?? '') <= iso(now)) throw noSuchOrganization();
  if (organization.ownerId !== userId) throw roleRequired('owner', member.role);
  if (!deletedAt) throw new ApiError('CONFLICT', 'The organization is not deleted');
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
        emit(tenant, {
          schemas: organizationEvents,
          name: 'organization.updated',
          data: { organization: { ...recovered, settings: settingsOf(recovered) } },
          now,
        }),
      ],
      audit: [auditNote(tenant, { type: 'organization', id })],
    },
  };
};
