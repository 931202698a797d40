import type { JobWorkflow, ReapedKind } from '../../job/index.ts';
import { type RestoreRecord, type RunningRestore, restoreKey, runningRestores } from '../model/record.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { internalError } from '../run/restore-steps.ts';
import { cleanUpRestore } from './clean-up-restore.ts';
import { failRestore, failureReason } from './fail-restore.ts';

/** Restores, as the reaper sees them. Each attempt has an execution of its own. */
export const restoreJobs = (deps: RestoreDeps, workflow: JobWorkflow): ReapedKind<RunningRestore, RestoreRecord> => ({
  name: 'restore',
  partition: runningRestores,
  workflow,
  clock: deps.clock,
  execution: ({ organizationId, restoreJobId, attempt }) => ({
    name: `${restoreJobId}-${attempt}`,
    input: { organizationId, restoreJobId, attempt },
  }),
  recordKey: (tenant, { restoreJobId }) => restoreKey.restore(tenant, restoreJobId),
  reasonOf: (restore) => failureReason(restore),
  startFailure: { ...internalError, message: 'The service could not start the restore' },
  fail: (tenant, { restoreJobId, attempt }, { reason, now }) =>
    failRestore({ tenant, restoreJobId, attempt, reasonOf: () => reason, now, sleep: deps.sleep }),
  // `failRestore` has already waited for the writers; the next run of the reaper checks again.
  cleanUp: (tenant, { restoreJobId, attempt }, { isGivenUp, hasFailed }) =>
    cleanUpRestore(tenant, { restoreJobId, deps, options: { attempt, isGivenUp, ...(hasFailed && { waitSeconds: 0 }) } }),
});
