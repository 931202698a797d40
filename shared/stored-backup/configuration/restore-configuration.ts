/** Restores the configuration that a backup holds, within an API request. Repeating it goes on where it ended: what is equal stays. */
import type * as z from 'zod/mini';
import { auditEntry, auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import {
  type ConfigurationPart,
  type ConfigurationRestore,
  type ConfigurationStep,
  configurationActions,
} from '../../contract/models/configuration.ts';
import { after, type Change, type Clock, commit, clock as systemClock, type Tenant } from '../../platform/index.ts';
import {
  applyConfiguration,
  type ConfigurationPlan,
  firestoreRelease,
  isUnfinishedStep,
  openConfigurationApi,
  type ProjectRecord,
  planConfiguration,
  readConfiguration,
  readIndexStates,
  readProject,
} from '../../project/index.ts';
import type { BackupRecord } from '../model/record.ts';
import type { RequestCaller } from '../read/with-source-in-request.ts';
import { readArchivedConfiguration } from './show-configuration.ts';

interface RestoreOptions {
  readonly backup: BackupRecord;
  readonly targetProjectId?: string | undefined;
  readonly parts: readonly ConfigurationPart[];
  readonly dryRun: boolean;
  readonly clock?: Clock | undefined;
}

/** The function times out after 20 s; reading both sides and the response take some of them. */
const writeSeconds = 11;
/** For a call that has begun by then. */
const lastCallSeconds = 6;
const readMs = 8_000;

/** What is about to be written is in the audit log before the first write, whatever becomes of the request. */
export const restoreConfiguration = async (
  { tenant, actor, origin, now }: RequestCaller,
  { backup, targetProjectId = backup.projectId, parts, dryRun, clock = systemClock }: RestoreOptions,
): Promise<{ readonly data: z.output<typeof ConfigurationRestore>; readonly change: Change }> => {
  const target = await readProject(tenant, targetProjectId);
  const wanted = await readArchivedConfiguration(tenant, { backup });
  if (!wanted) throw new ApiError('CONFLICT', 'The backup holds no configuration', { configuration: null });
  const plan = await planFor(tenant, { backup, target, wanted, parts });
  const dataOf = (steps: readonly ConfigurationStep[]) => restoreData({ backup, target, dryRun, plan, steps });
  const planned = dataOf(plan.steps.map(({ item: _, ...step }): ConfigurationStep => ({ ...step, outcome: null, error: null })));
  const noteOf = ({ counts: { create, change, failed } }: typeof planned) => {
    const details = { backupId: backup.id, projectId: backup.projectId, targetProjectId, configuration: true, create, change };
    return auditNote(tenant, { type: 'backup', id: backup.id, details: { ...details, ...(!dryRun && { failed }) } });
  };
  if (dryRun)
    return { data: planned, change: { writes: [], audit: [{ ...noteOf(planned), action: 'restore.planned' as const }] } };
  await commit([auditEntry('restore.configuration_started', { note: noteOf(planned), actor, origin, now })]);
  // A call that is not answered in time is reported as failed, instead of ending the request without a report.
  const leftMs = after(now, writeSeconds + lastCallSeconds).getTime() - clock.now().getTime();
  const api = openConfigurationApi(tenant, target, AbortSignal.timeout(Math.max(1, leftMs)));
  const data = dataOf(await applyConfiguration(api, { wanted, steps: plan.steps, deadline: after(now, writeSeconds), clock }));
  return { data, change: { writes: [], audit: [noteOf(data)] } };
};

const planFor = async (
  tenant: Tenant,
  {
    backup,
    target,
    wanted,
    parts,
  }: {
    readonly backup: BackupRecord;
    readonly target: ProjectRecord;
    readonly wanted: Parameters<typeof planConfiguration>[0];
    readonly parts: readonly ConfigurationPart[];
  },
): Promise<ConfigurationPlan> => {
  const signal = AbortSignal.timeout(readMs);
  const [live, states] = await Promise.all([
    readConfiguration(tenant, target, signal),
    // Why the indexes cannot be listed is said by the configuration.
    readIndexStates(openConfigurationApi(tenant, target, signal)).catch(() => undefined),
  ]);
  return planConfiguration(wanted, {
    parts,
    live,
    states,
    isSource: target.id === backup.projectId && !backup.isForeign,
    rulesRelease: firestoreRelease(target.databaseId),
  });
};

const restoreData = ({
  backup,
  target,
  dryRun,
  plan,
  steps,
}: {
  readonly backup: BackupRecord;
  readonly target: ProjectRecord;
  readonly dryRun: boolean;
  readonly plan: ConfigurationPlan;
  readonly steps: readonly ConfigurationStep[];
}): z.output<typeof ConfigurationRestore> => {
  const count = (action: ConfigurationStep['action']): number => steps.filter((step) => step.action === action).length;
  const [create, change, equal, building, kept, impossible] = configurationActions.map(count) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const failed = steps.filter(({ outcome }) => outcome === 'failed').length;
  return {
    backupId: backup.id,
    targetProjectId: target.id,
    dryRun,
    // Only a plan can tell: what was just written is not read again.
    complete: !steps.some(isUnfinishedStep) && plan.unknown.length === 0,
    counts: { create, change, equal, building, kept, impossible, failed },
    unknown: [...plan.unknown],
    steps: [...steps],
  };
};
