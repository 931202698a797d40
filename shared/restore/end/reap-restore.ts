/** Reaps restores whose workflow died, never started or was stopped. */
import type { Reason } from '../../job/index.ts';
import { after, commit, get, iso, log, set, type Tenant, walk } from '../../platform/index.ts';
import { type RestoreRecord, type RunningRestore, restoreKey, runningRestores } from '../model/record.ts';
import { internalError } from '../model/restore-steps.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { cleanUpRestore } from './clean-up-restore.ts';
import { failRestore, failureReason } from './fail-restore.ts';

/** The restore workflow. Each attempt has an execution, by its name. */
export interface RestoreWorkflow {
  describe(name: string): Promise<'running' | 'ended' | 'unknown'>;
  start(name: string, input: Readonly<Record<string, unknown>>): Promise<void>;
  stop(name: string, cause: string): Promise<void>;
}

/** Tasks reach the queue within seconds; after this long the task is lost or dead-lettered. */
const startMaxSeconds = 300;
/** Steps notice the end of a restore within seconds; a workflow that runs this much longer is stuck. */
const graceSeconds = 1_800;
/** After this long, objects that a destination does not delete are left there. */
const cleanUpMaxSeconds = 24 * 3_600;

/** All restores that run, or have ended and are not cleaned up. */
export const listRunningRestores = (): AsyncGenerator<RunningRestore> =>
  walk<RunningRestore>({ pk: runningRestores, prefix: '', from: '0' });

export const reapRestore = async (
  tenant: Tenant,
  item: RunningRestore,
  deps: RestoreDeps,
  workflow: RestoreWorkflow,
): Promise<void> => {
  const { restoreJobId, attempt, dueAt } = item;
  const { organizationId } = tenant;
  if (dueAt !== undefined && dueAt > iso(deps.clock.now())) return;
  const name = `${restoreJobId}-${attempt}`;
  // The workflow is read before the record: once it has ended, no step changes the record.
  const execution = await workflow.describe(name);
  const restore = await get(restoreKey.restore(tenant, restoreJobId));
  const now = deps.clock.now();
  const verdict = reapVerdict(restore, item, execution, now);
  if (verdict === 'leave') return;
  log.warn('reaping a restore', { restoreJobId, verdict: typeof verdict === 'string' ? verdict : verdict.code, execution });
  if (verdict === 'start') {
    await commit([set(restoreKey.running(tenant, restoreJobId), { restartedAt: iso(now) }, { expected: { attempt } })]);
    return workflow.start(name, { organizationId, restoreJobId, attempt });
  }
  // Stopped before the target is released, so that no step starts afterwards.
  if (execution === 'running') await workflow.stop(name, 'given up by the reaper');
  if (typeof verdict === 'string')
    return cleanUpRestore(tenant, restoreJobId, deps, { attempt, isGivenUp: verdict === 'give-up' });
  await failRestore({ tenant, restoreJobId, attempt, reasonOf: () => verdict, now, sleep: deps.sleep });
  // `failRestore` has already waited for the writers; the next run of the reaper checks again.
  await cleanUpRestore(tenant, restoreJobId, deps, { attempt, waitSeconds: 0 });
};

type Verdict = 'leave' | 'start' | 'clean' | 'give-up' | Reason;

export const reapVerdict = (
  restore: RestoreRecord | undefined,
  { since, restartedAt, attempt, dueAt }: RunningRestore,
  execution: 'running' | 'ended' | 'unknown',
  now: Date,
): Verdict => {
  const isOlder = (moment: string, seconds: number): boolean => Date.parse(moment) <= after(now, -seconds).getTime();
  if (!restore) return 'clean';
  // Resumed since the item was read; that attempt has another execution.
  if (restore.attempt !== attempt) return 'leave';
  const { status, completedAt } = restore;
  if (status === 'pending' || status === 'running') {
    if (execution === 'running') return 'leave';
    if (execution === 'ended') return failureReason(restore);
    // No execution yet: the task that starts it is on its way, or lost.
    if (!isOlder(restartedAt ?? since, startMaxSeconds)) return 'leave';
    return restartedAt === undefined ? 'start' : { ...internalError, message: 'The service could not start the restore' };
  }
  const endedAt = completedAt ?? since;
  if (isOlder(dueAt ?? endedAt, cleanUpMaxSeconds)) return 'give-up';
  return execution === 'running' && !isOlder(endedAt, graceSeconds) ? 'leave' : 'clean';
};
