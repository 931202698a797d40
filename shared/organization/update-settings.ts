import { auditNote } from '../audit/index.ts';
import { organizationEvents } from '../contract/event-data/organization-events.ts';
import { emit } from '../event/index.ts';
import { type Change, iso, omitUndefined, set } from '../platform/index.ts';
import type { CallerContext } from './model/caller-context.ts';
import { destinationCheck, noSuchOrganization } from './model/organization-guards.ts';
import { type OrganizationRecord, organizationKey } from './model/record.ts';

export interface SettingsChange {
  readonly name?: string | undefined;
  readonly settings?:
    | { readonly timezone?: string | undefined; readonly defaultStorageId?: string | null | undefined }
    | undefined;
}

export const settingsOf = ({ timezone, defaultStorageId }: OrganizationRecord) => ({ timezone, defaultStorageId });

/** Changes the given fields. An empty input writes nothing, not even an audit entry. */
export const updateSettings = (
  { tenant, organization }: CallerContext,
  { name, settings = {} }: SettingsChange,
  now: Date,
): { organization: OrganizationRecord; change: Change } => {
  const given = omitUndefined({ name, ...settings });
  if (Object.keys(given).length === 0) return { organization, change: { writes: [], audit: [] } };
  const changed: OrganizationRecord = { ...organization, ...given, updatedAt: iso(now) };
  return {
    organization: changed,
    change: {
      writes: [
        set(
          organizationKey.organization(tenant),
          { ...given, updatedAt: changed.updatedAt },
          { expected: { deletedAt: undefined }, onConditionFailed: noSuchOrganization },
        ),
        ...destinationCheck(tenant, given.defaultStorageId),
        emit(tenant, {
          schemas: organizationEvents,
          name: 'organization.updated',
          data: { organization: { ...changed, settings: settingsOf(changed) } },
          now,
        }),
      ],
      audit: [auditNote(tenant, { type: 'organization', id: tenant.organizationId, details: given })],
    },
  };
};
