import { auditNote } from '../audit/index.ts';
import { backupTimeoutMinutes } from '../contract/limits.ts';
import { destinationCheck } from '../organization/index.ts';
import { type Change, iso, omitUndefined, StaleReadError, set, type Tenant } from '../platform/index.ts';
import { type ProjectRecord, projectKey } from './record.ts';

type Settings = ProjectRecord['settings'];

export interface SettingsInput {
  readonly backupTimeoutMinutes?: number | undefined;
  /** Null removes the setting. */
  readonly defaultStorageId?: string | null | undefined;
  readonly maxReads?: number | null | undefined;
}

export const defaultSettings: Settings = { backupTimeoutMinutes, defaultStorageId: null };

export const settingsWith = (settings: Settings, input: SettingsInput): Settings => {
  const { maxReads, ...kept } = { ...settings, ...omitUndefined(input) };
  return { ...kept, ...(typeof maxReads === 'number' && { maxReads }) };
};

/** Changes only the given fields. An empty input changes nothing and writes no audit entry. */
export const updateProject = (
  tenant: Tenant,
  {
    project,
    input,
    now,
  }: {
    readonly project: ProjectRecord;
    readonly input: { readonly name?: string | undefined; readonly settings?: SettingsInput | undefined };
    readonly now: Date;
  },
): { project: ProjectRecord; change: Change } => {
  const changes = {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.settings && Object.keys(input.settings).length > 0 && { settings: settingsWith(project.settings, input.settings) }),
  };
  if (Object.keys(changes).length === 0) return { project, change: { writes: [], audit: [] } };
  const changed: ProjectRecord = { ...project, ...changes, updatedAt: iso(now) };
  return {
    project: changed,
    change: {
      writes: [
        set(
          projectKey.project(tenant, project.id),
          { ...changes, updatedAt: changed.updatedAt },
          // Concurrent changes of different settings must not undo each other.
          { expected: { settings: project.settings }, onConditionFailed: () => new StaleReadError() },
        ),
        ...destinationCheck(tenant, input.settings?.defaultStorageId),
      ],
      audit: [auditNote(tenant, { type: 'project', id: project.id, details: { ...input } })],
    },
  };
};
