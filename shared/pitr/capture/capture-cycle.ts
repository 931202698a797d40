/** One turn of a project's capture: whatever happens, it leaves the old state or the new one, and says when the next is due. */
import type { BackupDeps } from '../../backup/index.ts';
import { ResumeTokenLost, SourceError } from '../../firestore/index.ts';
import { failureOf } from '../../job/index.ts';
import { commit, log, StaleReadError, type Tenant } from '../../platform/index.ts';
import { unauthorizedWrite } from '../../project/index.ts';
import { beginWithBase } from '../base/begin-with-base.ts';
import { type CycleContext, loadCycleContext } from '../model/cycle-context.ts';
import { endCycle, type NextCycle, nextCycle } from '../model/cycle-end.ts';
import { cycleRetrySeconds } from '../model/failure-backoff.ts';
import { microsOf } from '../model/micro-time.ts';
import type { PitrRecord } from '../model/record.ts';
import { TooManyCollections } from '../model/resume-token-items.ts';
import { BaseGone, CaptureSession } from './capture-session.ts';
import { newReadBudget, type ReadBudget, spentFields } from './read-budget.ts';
import { recordLoss } from './record-loss.ts';

/** The source remembers an hour: what begins later than this may not end in time. */
export const awayMaxSeconds = 50 * 60;
const soonSeconds = 5;
/** A message is kept back for whole seconds: one that comes this much early is in time. */
const earlyMs = 1_000;

export interface CycleTask {
  readonly projectId: string;
  readonly turn: number;
}

/** What the queue is to bring next; undefined if nothing: it was another turn's message, or nothing is to be captured any more. */
export const runCaptureCycle = async (
  tenant: Tenant,
  task: CycleTask,
  deps: BackupDeps,
  signal: AbortSignal,
): Promise<NextCycle | undefined> => {
  const cycle = await loadCycleContext(tenant, task.projectId);
  if (cycle?.pitr.turn !== task.turn) return undefined;
  const earlyBy = earlyByMs(cycle, deps);
  if (earlyBy > earlyMs) return { turn: task.turn, delaySeconds: earlyBy / 1_000 };
  return attemptCycle(cycle, deps, async (budget) => {
    if (cycle.pitr.status === 'starting') return beginWithBase(cycle, deps);
    const capturing = await CaptureSession.open(cycle, { isSingleCycle: true, budget, signal }, deps);
    try {
      return await capturing.endCycle(cycle, budget);
    } finally {
      await capturing.close();
    }
  });
};

/** How long before its time a turn is looked at. */
export const earlyByMs = ({ pitr }: CycleContext, deps: BackupDeps): number =>
  Date.parse(pitr.nextTurnAt ?? '') - deps.clock.now().getTime();

/** Does what a turn is to do; what goes wrong ends the turn, too: as a loss, or to be tried again. */
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
    if (error instanceof StaleReadError) return afterOthers(cycle);
    return postponeCycle(cycle, error, budget, deps);
  }
};

/** Another run has ended the turn, or it was disabled: whoever did that goes on. Else only what is kept has changed. */
const afterOthers = async ({ tenant, pitr: { projectId, turn } }: CycleContext): Promise<NextCycle | undefined> =>
  (await loadCycleContext(tenant, projectId))?.pitr.turn === turn ? { turn, delaySeconds: soonSeconds } : undefined;

const isAway = ({ pitr }: CycleContext, deps: BackupDeps): boolean =>
  pitr.status === 'active' && deps.clock.now().getTime() * 1_000 - microsOf(pitr.capturedTo ?? '') > awayMaxSeconds * 1_000_000;

const awayReason = ({ trouble }: PitrRecord): string =>
  `nothing could be captured for more than ${awayMaxSeconds / 60} minutes${trouble === undefined ? '' : `: ${trouble}`}`;

/** What means that nothing can be gone on from. */
const lossOf = ({ pitr }: CycleContext, error: unknown): Omit<Parameters<typeof recordLoss>[1], 'budget'> | undefined => {
  if (error instanceof ResumeTokenLost) return { reason: error.message };
  if (error instanceof BaseGone) return { reason: 'the base backup is gone', goneBase: pitr.bases.at(-1) };
  if (error instanceof TooManyCollections) return { reason: error.message, isTooLarge: true };
  if (error instanceof SourceError && error.code === 'SNAPSHOT_EXPIRED')
    return { reason: 'the source no longer tells what changed since the last capture' };
  return undefined;
};

/** The turn is tried again shortly, as the next one: of several messages of one turn only one goes on. */
const postponeCycle = async (
  cycle: CycleContext,
  error: unknown,
  budget: ReadBudget,
  deps: BackupDeps,
): Promise<NextCycle | undefined> => {
  const now = deps.clock.now();
  const { pitr } = cycle;
  const delaySeconds = cycleRetrySeconds(pitr);
  const failure = failureOf(error);
  const trouble = failure?.message ?? 'an internal error';
  const changed = { putOffs: (pitr.putOffs ?? 0) + 1, trouble, ...spentFields(pitr, budget, now) };
  log.warn('a capture failed and is tried again', { projectId: cycle.project.id, error });
  const isRefused = failure?.code === 'SOURCE_AUTH_ERROR' && cycle.project.status === 'connected';
  try {
    await commit([
      endCycle(cycle, changed, now, delaySeconds),
      ...(isRefused ? [unauthorizedWrite(cycle.tenant, cycle.project, now)] : []),
    ]);
    return nextCycle(cycle, delaySeconds);
  } catch (again) {
    if (again instanceof StaleReadError) return undefined;
    throw error;
  }
};
