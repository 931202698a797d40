/** Runs one capture cycle of a project. It either commits or leaves the old state, and returns the next cycle. */

import { ResumeTokenLost, SourceError } from '../../firestore/index.ts';
import { failureOf } from '../../job/index.ts';
import { commit, log, StaleReadError, type Tenant } from '../../platform/index.ts';
import { addReads, unauthorizedWrite } from '../../project/index.ts';
import type { BackupDeps } from '../../stored-backup/index.ts';
import { beginWithBase } from '../base/begin-with-base.ts';
import { type CycleContext, loadCycleContext } from '../model/cycle-context.ts';
import { endCycle, type NextCycle, nextCycle } from '../model/end-cycle.ts';
import { cycleRetrySeconds } from '../model/failure-backoff.ts';
import { microsOf } from '../model/micro-time.ts';
import type { PitrRecord } from '../model/record.ts';
import { TooManyCollections } from '../model/resume-token-items.ts';
import { BaseGone, CaptureSession } from './capture-session.ts';
import { newReadBudget, type ReadBudget, readsOf, spentFields } from './read-budget.ts';
import { recordLoss } from './record-loss.ts';

/** The source keeps history for an hour: a cycle that begins later than this may not end in time. */
const awayMaxSeconds = 50 * 60;
const soonSeconds = 5;
/** SQS delays messages by whole seconds: one that arrives this early is in time. */
const earlyMs = 1_000;

export interface CycleTask {
  readonly projectId: string;
  readonly turn: number;
}

/** Returns the cycle to enqueue; undefined if the message is of another cycle, or there is nothing to capture any more. */
export const runCaptureCycle = async (
  tenant: Tenant,
  { task, deps, signal }: { readonly task: CycleTask; readonly deps: BackupDeps; readonly signal: AbortSignal },
): Promise<NextCycle | undefined> => {
  const cycle = await loadCycleContext(tenant, task.projectId);
  if (cycle?.pitr.turn !== task.turn) return undefined;
  const earlyBy = earlyByMs(cycle, deps);
  if (earlyBy > earlyMs) return { turn: task.turn, delaySeconds: earlyBy / 1_000 };
  return attemptCycle(cycle, deps, async (budget) => {
    if (cycle.pitr.status === 'starting') return beginWithBase(cycle, deps);
    const capture = await CaptureSession.open(cycle, { isSingleCycle: true, budget, signal }, deps);
    try {
      return await capture.endCycle(cycle, budget);
    } finally {
      await capture.close();
    }
  });
};

/** Time until the cycle is due; negative if it is overdue. */
export const earlyByMs = ({ pitr }: CycleContext, deps: BackupDeps): number =>
  Date.parse(pitr.nextTurnAt ?? '') - deps.clock.now().getTime();

/** Runs a cycle. A failure ends the cycle, too: as a loss, or to be retried. */
export const attemptCycle = async (
  cycle: CycleContext,
  deps: BackupDeps,
  work: (budget: ReadBudget) => Promise<NextCycle>,
): Promise<NextCycle | undefined> => {
  const budget = newReadBudget();
  try {
    try {
      return await (isAway(cycle, deps)
        ? recordLoss(cycle, { reason: awayReason(cycle.pitr), budget }, deps.clock.now())
        : work(budget));
    } catch (error) {
      const loss = lossOf(cycle, error);
      if (loss) return await recordLoss(cycle, { ...loss, budget }, deps.clock.now());
      throw error;
    }
  } catch (error) {
    if (error instanceof StaleReadError) return afterConflict(cycle);
    return postponeCycle(cycle, { error, budget, deps });
  }
};

/** If another run has ended the cycle, it continues. Otherwise only an expiry has changed the record: try again soon. */
const afterConflict = async ({ tenant, pitr: { projectId, turn } }: CycleContext): Promise<NextCycle | undefined> =>
  (await loadCycleContext(tenant, projectId))?.pitr.turn === turn ? { turn, delaySeconds: soonSeconds } : undefined;

const isAway = ({ pitr }: CycleContext, deps: BackupDeps): boolean =>
  pitr.status === 'active' && deps.clock.now().getTime() * 1_000 - microsOf(pitr.capturedTo ?? '') > awayMaxSeconds * 1_000_000;

const awayReason = ({ trouble }: PitrRecord): string =>
  `nothing could be captured for more than ${awayMaxSeconds / 60} minutes${trouble === undefined ? '' : `: ${trouble}`}`;

/** Errors after which capture cannot resume. */
const lossOf = ({ pitr }: CycleContext, error: unknown): Omit<Parameters<typeof recordLoss>[1], 'budget'> | undefined => {
  if (error instanceof ResumeTokenLost) return { reason: error.message };
  if (error instanceof BaseGone) return { reason: 'the base backup is gone', goneBase: pitr.bases.at(-1) };
  if (error instanceof TooManyCollections) return { reason: error.message, isTooLarge: true };
  if (error instanceof SourceError && error.code === 'SNAPSHOT_EXPIRED')
    return { reason: 'the source no longer has the changes since the last capture' };
  return undefined;
};

/** Retries shortly, as the next cycle, so that of several messages for one cycle only one continues. */
const postponeCycle = async (
  cycle: CycleContext,
  { error, budget, deps }: { readonly error: unknown; readonly budget: ReadBudget; readonly deps: BackupDeps },
): Promise<NextCycle | undefined> => {
  const now = deps.clock.now();
  const { pitr } = cycle;
  const delaySeconds = cycleRetrySeconds(pitr);
  const failure = failureOf(error);
  const trouble = failure?.message ?? 'an internal error';
  const changed = { putOffs: (pitr.putOffs ?? 0) + 1, trouble, ...spentFields(pitr, budget, now) };
  log.warn('capture cycle failed; it will be retried', { projectId: cycle.project.id, error });
  const isRefused = failure?.code === 'SOURCE_AUTH_ERROR' && cycle.project.status === 'connected';
  try {
    await commit([
      endCycle(cycle, { changed, now, delaySeconds }),
      ...addReads(cycle.tenant, { projectId: cycle.project.id, reads: readsOf(budget), now }),
      ...(isRefused ? [unauthorizedWrite(cycle.tenant, cycle.project, now)] : []),
    ]);
    return nextCycle(cycle, delaySeconds);
  } catch (conflict) {
    if (conflict instanceof StaleReadError) return undefined;
    throw error;
  }
};
