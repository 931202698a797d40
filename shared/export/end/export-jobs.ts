/** Exports as the reaper sees them: one whose workflow died continues in another, because all that it knows is on its record. */
import type { JobWorkflow, ReapedKind } from '../../job/index.ts';
import { commit, iso, set, type Tenant, update } from '../../platform/index.ts';
import type { ExportDeps } from '../export-deps.ts';
import { type ExportRecord, exportKey, type RunningExport, runningExports } from '../model/record.ts';
import { cleanUpExport } from './clean-up-export.ts';
import { endExport } from './end-export.ts';

/** An export that so many executions could not complete fails. */
const attemptsMax = 5;

export const exportJobs = (deps: ExportDeps, workflow: JobWorkflow): ReapedKind<RunningExport, ExportRecord> => ({
  name: 'export',
  partition: runningExports,
  workflow,
  clock: deps.clock,
  execution: ({ organizationId, exportId, attempt }) => ({
    name: `${exportId}-${attempt}`,
    input: { organizationId, exportId, attempt },
  }),
  recordKey: (tenant, { exportId }) => exportKey.export(tenant, exportId),
  reasonOf: ({ failure, trouble }) =>
    failure ?? trouble ?? { code: 'INTERNAL_ERROR', message: 'The service could not export the backup' },
  startFailure: { code: 'INTERNAL_ERROR', message: 'The service could not start the export' },
  fail: (tenant, { exportId, attempt }, { reason }) => endExport(tenant, { id: exportId, attempt }, { deps, reason }),
  resume: (tenant, item) => startNext(tenant, item, { deps, workflow }),
  cleanUp: (tenant, { exportId }, { isGivenUp }) => cleanUpExport(tenant, exportId, { deps, isGivenUp }),
});

const startNext = async (
  tenant: Tenant,
  { exportId, attempt, organizationId, pk, sk }: RunningExport,
  { deps, workflow }: { readonly deps: ExportDeps; readonly workflow: JobWorkflow },
): Promise<void> => {
  if (attempt >= attemptsMax) return endExport(tenant, { id: exportId, attempt }, { deps });
  const next = attempt + 1;
  await commit([
    update(exportKey.export(tenant, exportId), { set: { attempt: next }, expected: { attempt } }),
    set({ pk, sk }, { attempt: next, since: iso(deps.clock.now()), restartedAt: undefined }),
  ]);
  await workflow.start(`${exportId}-${next}`, { organizationId, exportId, attempt: next });
};
