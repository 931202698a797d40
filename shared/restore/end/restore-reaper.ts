/** Restores whose workflow died, never began or was stopped: what the workflow can no longer do for them is done here. */
import type { Reason } from '../../job/index.ts';
import { after, commit, get, iso, log, set, type Tenant, walk } from '../../platform/index.ts';
import { type RestoreRecord, type RunningRestore, restoreKey, runningRestores } from '../model/record.ts';
import { internalError } from '../model/restore-steps.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { cleanUpRestore } from './clean-up-restore.ts';
import { failRestore, failureReason } from './fail-restore.ts';

/** The workflow of restores, as the reaper sees it; each attempt has an execution, by its name. */
export interface RestoreWorkflow {
  describe(name: string): Promise<'running' | 'ended' | 'unknown'>;
  start(name: string, input: Readonly<Record<string, unknown>>): Promise<void>;
  stop(name: string, cause: string): Promise<void>;
}

/** Tasks reach the queue within seconds; one that took so long is lost, or dead-lettered. */
const startMaxSeconds = 300;
/** Steps notice within seconds that the restore has ended; a workflow that still runs so long after is stuck. */
const graceSeconds = 1_800;
/** Objects that a destination does not let go of for so long stay. */
const cleanMaxSeconds = 24 * 3_600;

/** All that is under way, or has ended and is not cleaned up after. */
export const listRunningRestores = (): AsyncGenerator<RunningRestore> =>
  walk<RunningRestore>({ pk: runningRestores, prefix: '', from: '0' });

export const reapRestore = async (
  tenant: Tenant,
  note: RunningRestore,
  engine: RestoreDeps,
  workflow: RestoreWorkflow,
): Promise<void> => {
  const { restoreJobId, attempt, dueAt } = note;
  const { organizationId } = tenant;
  if (dueAt !== undefined && dueAt > iso(engine.clock.now())) return;
  const name = `${restoreJobId}-${attempt}`;
  // In this order: a workflow that was seen to have ended begins nothing more.
  const execution = await workflow.describe(name);
  const restore = await get(restoreKey.restore(tenant, restoreJobId));
  const now = engine.clock.now();
  const verdict = reapVerdict(restore, note, execution, now);
  if (verdict === 'leave') return;
  log.warn('reaping a restore', { restoreJobId, verdict: typeof verdict === 'string' ? verdict : verdict.code, execution });
  if (verdict === 'start') {
    await commit([set(restoreKey.running(tenant, restoreJobId), { restartedAt: iso(now) }, { expected: { attempt } })]);
    return workflow.start(name, { organizationId, restoreJobId, attempt });
  }
  // Before the target is freed: what runs on begins nothing more.
  if (execution === 'running') await workflow.stop(name, 'given up by the reaper');
  if (typeof verdict === 'string')
    return cleanUpRestore(tenant, restoreJobId, engine, { attempt, isGivenUp: verdict === 'give-up' });
  await failRestore(tenant, restoreJobId, () => verdict, now, attempt, engine.sleep);
  // Whoever still writes was waited for: the next run looks again.
  await cleanUpRestore(tenant, restoreJobId, engine, { attempt, waitSeconds: 0 });
};

type Verdict = 'leave' | 'start' | 'clean' | 'give-up' | Reason;

/** Decided apart from all doing, so that every case can be looked at. */
export const reapVerdict = (
  restore: RestoreRecord | undefined,
  { since, restartedAt, attempt, dueAt }: RunningRestore,
  execution: 'running' | 'ended' | 'unknown',
  now: Date,
): Verdict => {
  const isOlder = (moment: string, seconds: number): boolean => Date.parse(moment) <= after(now, -seconds).getTime();
  if (!restore) return 'clean';
  // Resumed since the note was read: that execution is another.
  if (restore.attempt !== attempt) return 'leave';
  const { status, completedAt } = restore;
  if (status === 'pending' || status === 'running') {
    if (execution === 'running') return 'leave';
    if (execution === 'ended') return failureReason(restore);
    // No such execution: the task that starts it is on its way, or lost.
    if (!isOlder(restartedAt ?? since, startMaxSeconds)) return 'leave';
    return restartedAt === undefined ? 'start' : { ...internalError, message: 'The service could not start the restore' };
  }
  const endedAt = completedAt ?? since;
  if (isOlder(dueAt ?? endedAt, cleanMaxSeconds)) return 'give-up';
  return execution === 'running' && !isOlder(endedAt, graceSeconds) ? 'leave' : 'clean';
};
