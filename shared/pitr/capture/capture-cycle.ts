/** One turn of a project's capture: whatever happens, it leaves the old state or the new one, and says when the next is due. */
import type { BackupDeps } from '../../backup/index.ts';
import { ResumeTokenLost, SourceError } from '../../firestore/index.ts';
import { failureOf } from '../../job/index.ts';
import { commit, log, StaleReadError, type Tenant } from '../../platform/index.ts';
import { unauthorizedWrite } from '../../project/index.ts';
import { begin } from '../base/begin-with-base.ts';
import { type CycleContext, loadCycleContext } from '../model/cycle-context.ts';
import { endTurn, type Next, nextOf } from '../model/cycle-end.ts';
import { putOffSeconds } from '../model/failure-backoff.ts';
import { microsOf } from '../model/micro-time.ts';
import type { PitrRecord } from '../model/record.ts';
import { TooManyCollections } from '../model/resume-token-items.ts';
import { BaseGone, Capturing } from './capture-session.ts';
import { afterSpending, newReadBudget, type ReadBudget } from './read-budget.ts';
import { recordLoss } from './record-loss.ts';

/** The source remembers an hour: what begins later than this may not end in time. */
export const awayMaxSeconds = 50 * 60;
const soonSeconds = 5;
/** A message is kept back for whole seconds: one that comes this much early is in time. */
const earlyMs = 1_000;

export interface TurnTask {
  readonly projectId: string;
  readonly turn: number;
}

/** What the queue is to bring next; undefined if nothing: it was another turn's message, or nothing is to be captured any more. */
export const runCaptureCycle = async (
  tenant: Tenant,
  task: TurnTask,
  engine: BackupDeps,
  signal: AbortSignal,
): Promise<Next | undefined> => {
  const scene = await loadCycleContext(tenant, task.projectId);
  if (scene?.pitr.turn !== task.turn) return undefined;
  const earlyBy = earlyByMs(scene, engine);
  if (earlyBy > earlyMs) return { turn: task.turn, delaySeconds: earlyBy / 1_000 };
  return attempt(scene, engine, async (spending) => {
    if (scene.pitr.status === 'starting') return begin(scene, engine);
    const capturing = await Capturing.open(scene, { isOnce: true, spending, signal }, engine);
    try {
      return await capturing.endTurn(scene, spending);
    } finally {
      await capturing.close();
    }
  });
};

/** How long before its time a turn is looked at. */
export const earlyByMs = ({ pitr }: CycleContext, engine: BackupDeps): number =>
  Date.parse(pitr.nextTurnAt ?? '') - engine.clock.now().getTime();

/** Does what a turn is to do; what goes wrong ends the turn, too: as a loss, or to be tried again. */
export const attempt = async (
  scene: CycleContext,
  engine: BackupDeps,
  work: (spending: ReadBudget) => Promise<Next>,
): Promise<Next | undefined> => {
  const spending = newReadBudget();
  try {
    try {
      return await (isAway(scene, engine)
        ? recordLoss(scene, { reason: awayReason(scene.pitr), spending }, engine.clock.now())
        : work(spending));
    } catch (error) {
      const loss = lossOf(scene, error);
      if (loss) return await recordLoss(scene, { ...loss, spending }, engine.clock.now());
      throw error;
    }
  } catch (error) {
    if (error instanceof StaleReadError) return afterOthers(scene);
    return postponeCycle(scene, error, spending, engine);
  }
};

/** Another run has ended the turn, or it was disabled: whoever did that goes on. Else only what is kept has changed. */
const afterOthers = async ({ tenant, pitr: { projectId, turn } }: CycleContext): Promise<Next | undefined> =>
  (await loadCycleContext(tenant, projectId))?.pitr.turn === turn ? { turn, delaySeconds: soonSeconds } : undefined;

const isAway = ({ pitr }: CycleContext, engine: BackupDeps): boolean =>
  pitr.status === 'active' && engine.clock.now().getTime() * 1_000 - microsOf(pitr.capturedTo ?? '') > awayMaxSeconds * 1_000_000;

const awayReason = ({ trouble }: PitrRecord): string =>
  `nothing could be captured for more than ${awayMaxSeconds / 60} minutes${trouble === undefined ? '' : `: ${trouble}`}`;

/** What means that nothing can be gone on from. */
const lossOf = ({ pitr }: CycleContext, error: unknown): Omit<Parameters<typeof recordLoss>[1], 'spending'> | undefined => {
  if (error instanceof ResumeTokenLost) return { reason: error.message };
  if (error instanceof BaseGone) return { reason: 'the base backup is gone', goneBase: pitr.bases.at(-1) };
  if (error instanceof TooManyCollections) return { reason: error.message, isTooLarge: true };
  if (error instanceof SourceError && error.code === 'SNAPSHOT_EXPIRED')
    return { reason: 'the source no longer tells what changed since the last capture' };
  return undefined;
};

/** The turn is tried again shortly, as the next one: of several messages of one turn only one goes on. */
const postponeCycle = async (
  scene: CycleContext,
  error: unknown,
  spending: ReadBudget,
  engine: BackupDeps,
): Promise<Next | undefined> => {
  const now = engine.clock.now();
  const { pitr } = scene;
  const delaySeconds = putOffSeconds(pitr);
  const failure = failureOf(error);
  const trouble = failure?.message ?? 'an internal error';
  const changed = { putOffs: (pitr.putOffs ?? 0) + 1, trouble, ...afterSpending(pitr, spending, now) };
  log.warn('a capture failed and is tried again', { projectId: scene.project.id, error });
  const isRefused = failure?.code === 'SOURCE_AUTH_ERROR' && scene.project.status === 'connected';
  try {
    await commit([
      endTurn(scene, changed, now, delaySeconds),
      ...(isRefused ? [unauthorizedWrite(scene.tenant, scene.project, now)] : []),
    ]);
    return nextOf(scene, delaySeconds);
  } catch (again) {
    if (again instanceof StaleReadError) return undefined;
    throw error;
  }
};
