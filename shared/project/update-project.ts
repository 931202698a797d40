import { auditNote } from '../audit/index.ts';
import { invalid } from '../contract/errors.ts';
import { tooManyLabels } from '../contract/labels.ts';
import { backupTimeoutMinutes, labelsMax } from '../contract/limits.ts';
import { destinationCheck } from '../organization/index.ts';
import { type Change, iso, omitUndefined, StaleReadError, set, type Tenant } from '../platform/index.ts';
import { type ProjectRecord, projectKey } from './record.ts';

type Settings = ProjectRecord['settings'];

export interface SettingsInput {
  readonly backupTimeoutMinutes?: number | undefined;
  /** Null removes the setting. */
  readonly defaultStorageId?: string | null | undefined;
  readonly maxReads?: number | null | undefined;
  readonly readBudgetPerDay?: Settings['readBudgetPerDay'] | null | undefined;
  /** Empty also removes it. */
  readonly searchFields?: readonly string[] | null | undefined;
}

export const defaultSettings: Settings = { backupTimeoutMinutes, defaultStorageId: null };

export const settingsWith = (settings: Settings, input: SettingsInput): Settings => {
  const { maxReads, readBudgetPerDay, searchFields, ...kept } = { ...settings, ...omitUndefined(input) };
  return {
    ...kept,
    ...(typeof maxReads === 'number' && { maxReads }),
    ...(readBudgetPerDay && { readBudgetPerDay }),
    ...(searchFields && searchFields.length > 0 && { searchFields }),
  };
};

/** Null removes a label. */
type LabelsInput = Readonly<Record<string, string | null>>;

const labelsWith = (labels: Readonly<Record<string, string>>, input: LabelsInput): Readonly<Record<string, string>> => {
  const entries = Object.entries({ ...labels, ...input }).filter((entry): entry is [string, string] => entry[1] !== null);
  if (entries.length > labelsMax) throw invalid('labels', tooManyLabels);
  return Object.fromEntries(entries);
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
    readonly input: {
      readonly name?: string | undefined;
      readonly labels?: LabelsInput | undefined;
      readonly settings?: SettingsInput | undefined;
    };
    readonly now: Date;
  },
): { project: ProjectRecord; change: Change } => {
  const changes = {
    ...(input.name !== undefined && { name: input.name }),
    ...(input.labels && Object.keys(input.labels).length > 0 && { labels: labelsWith(project.labels ?? {}, input.labels) }),
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
          // Concurrent changes of different settings or labels must not undo each other.
          { expected: { settings: project.settings, labels: project.labels }, onConditionFailed: () => new StaleReadError() },
        ),
        ...destinationCheck(tenant, input.settings?.defaultStorageId),
      ],
      audit: [auditNote(tenant, { type: 'project', id: project.id, details: { ...input } })],
    },
  };
};
