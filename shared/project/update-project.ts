/** What may be changed about a project. Only what is given changes. */
import { ApiError } from '../contract/errors.ts';
import { backupTimeoutMinutes } from '../contract/limits.ts';
import { organizationKey } from '../organization/index.ts';
import { type Change, iso, StaleReadError, set, type Tenant, type Write } from '../platform/index.ts';
import { type ProjectRecord, projectKey } from './record.ts';

type Settings = ProjectRecord['settings'];

export interface SettingsInput {
  readonly backupTimeoutMinutes?: number | undefined;
  /** Null takes the choice back. */
  readonly defaultStorageId?: string | null | undefined;
  readonly maxReads?: number | null | undefined;
}

export const defaultSettings: Settings = { backupTimeoutMinutes, defaultStorageId: null };

export const settingsWith = (settings: Settings, wish: SettingsInput): Settings => {
  const maxReads = wish.maxReads === undefined ? settings.maxReads : (wish.maxReads ?? undefined);
  return {
    backupTimeoutMinutes: wish.backupTimeoutMinutes ?? settings.backupTimeoutMinutes,
    defaultStorageId: wish.defaultStorageId === undefined ? settings.defaultStorageId : wish.defaultStorageId,
    ...(maxReads !== undefined && { maxReads }),
  };
};

/** A destination that is named must be there at the very moment it is. */
export const destinationCheck = (tenant: Tenant, wish: SettingsInput | undefined): readonly Write[] =>
  wish?.defaultStorageId
    ? [
        {
          check: organizationKey.storageDestination(tenant, wish.defaultStorageId),
          condition: 'attribute_exists(pk)',
          onConditionFailed: () => new ApiError('STORAGE_NOT_FOUND', 'There is no such storage destination'),
        },
      ]
    : [];

/** A call that gives nothing changes nothing and leaves no trace. */
export const updateProject = (
  tenant: Tenant,
  project: ProjectRecord,
  wish: { readonly name?: string | undefined; readonly settings?: SettingsInput | undefined },
  now: Date,
): { project: ProjectRecord; change: Change } => {
  const given = {
    ...(wish.name !== undefined && { name: wish.name }),
    ...(wish.settings && Object.keys(wish.settings).length > 0 && { settings: settingsWith(project.settings, wish.settings) }),
  };
  if (Object.keys(given).length === 0) return { project, change: { writes: [], audit: [] } };
  const changed: ProjectRecord = { ...project, ...given, updatedAt: iso(now) };
  return {
    project: changed,
    change: {
      writes: [
        set(
          projectKey.project(tenant, project.id),
          { ...given, updatedAt: changed.updatedAt },
          // Two who change different settings at once must not undo each other.
          { expected: { settings: project.settings }, onConditionFailed: () => new StaleReadError() },
        ),
        ...destinationCheck(tenant, wish.settings),
      ],
      audit: [{ scope: tenant.organizationId, resource: { type: 'project', id: project.id }, details: { ...wish } }],
    },
  };
};
