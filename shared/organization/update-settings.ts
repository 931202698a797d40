/** Changing what an organization says of itself. Only what is given changes. */
import { ApiError } from '../contract/errors.ts';
import { emit } from '../event/index.ts';
import { type Change, iso, set, type Write } from '../platform/index.ts';
import type { CallerContext } from './model/caller-context.ts';
import { noSuchOrganization } from './model/organization-guards.ts';
import { type OrganizationRecord, organizationKey } from './model/record.ts';

export interface SettingsChange {
  readonly name?: string | undefined;
  readonly settings?:
    | { readonly timezone?: string | undefined; readonly defaultStorageId?: string | null | undefined }
    | undefined;
}

/** How the interface groups the settings of the record. */
export const settingsOf = ({ timezone, defaultStorageId }: OrganizationRecord) => ({ timezone, defaultStorageId });

/** A call that gives nothing changes nothing and leaves no trace. */
export const updateSettings = (
  { tenant, organization }: CallerContext,
  { name, settings = {} }: SettingsChange,
  now: Date,
): { organization: OrganizationRecord; change: Change } => {
  const { timezone, defaultStorageId } = settings;
  const given = Object.fromEntries(
    Object.entries({ name, timezone, defaultStorageId }).filter(([, value]) => value !== undefined),
  ) as Partial<Pick<OrganizationRecord, 'name' | 'timezone' | 'defaultStorageId'>>;
  if (Object.keys(given).length === 0) return { organization, change: { writes: [], audit: [] } };
  const changed: OrganizationRecord = { ...organization, ...given, updatedAt: iso(now) };
  const destination: readonly Write[] = defaultStorageId
    ? [
        {
          check: organizationKey.storageDestination(tenant, defaultStorageId),
          condition: 'attribute_exists(pk)',
          onConditionFailed: () => new ApiError('STORAGE_NOT_FOUND', 'There is no such storage destination'),
        },
      ]
    : [];
  return {
    organization: changed,
    change: {
      writes: [
        set(
          organizationKey.organization(tenant),
          { ...given, updatedAt: changed.updatedAt },
          { expected: { deletedAt: undefined }, onConditionFailed: noSuchOrganization },
        ),
        ...destination,
        emit(tenant, 'organization.updated', { organization: { ...changed, settings: settingsOf(changed) } }, now),
      ],
      audit: [{ scope: tenant.organizationId, resource: { type: 'organization', id: tenant.organizationId }, details: given }],
    },
  };
};
