/**
 * Turns of a project that is listened to all the time, for as long as a worker has: between them the streams stay open. Before it
 * leaves another one listens, too, so that nothing comes and goes unobserved.
 */
import type { BackupDeps } from '../../backup/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { type CycleContext, loadCycleContext, reloadSameCycle } from '../model/cycle-context.ts';
import type { NextCycle } from '../model/cycle-end.ts';
import { attemptCycle, type CycleTask, earlyByMs, runCaptureCycle } from './capture-cycle.ts';
import { cycleSeconds, isContinuous } from './capture-mode.ts';
import { CaptureSession } from './capture-session.ts';
import { newReadBudget, type ReadBudget } from './read-budget.ts';

export interface ContinuousTask extends CycleTask {
  /** Somebody listens, and leaves when that turn is over. */
  readonly isHandover?: boolean | undefined;
}

/** What the queue is to bring. */
export interface QueuedCycle extends NextCycle {
  readonly isHandover?: boolean;
}

export interface ContinuousRun {
  readonly signal: AbortSignal;
  /** When it has to leave. */
  readonly until: Date;
  /** Has the queue bring a turn: of one that is over by then nothing comes. */
  readonly enqueueCycle: (next: QueuedCycle) => Promise<void>;
  readonly pause: (ms: number) => Promise<void>;
}

/** How long after its time a turn is somebody else's: then whoever listened is dead, or very slow. */
const graceSeconds = 60;
const lateMaxSeconds = 300;
/** What is heard by two is billed, and stored, twice: a worker is there within some seconds. */
const togetherSeconds = 30;
/** A stream on which nothing came for 75 s is taken for a dead one. */
const askEveryMs = 20_000;
const lookEveryMs = 1_000;
/** So many look-ups in a second, for each stream, are worth a question in each of the following. */
const worthAsking = 3;
const askingMs = 30_000;
/** A little behind the whole second: clocks differ, and the source must have got there. */
const behindMs = 50;
/** Each new collection at the root is heard on a stream of its own until the next worker puts them together: so many more than that needs. */
const streamsMax = 20;
/** How many turns in a row may end with a stream that is broken off: opening one costs a read for each collection. Then it is waited for the next. */
const breaksMax = 3;
/** A turn with more ends early: their names are kept in memory until then. */
const documentsMax = 50_000;

/** What the queue is to bring next, as for one turn. */
export const runContinuousCapture = async (
  tenant: Tenant,
  task: ContinuousTask,
  deps: BackupDeps,
  run: ContinuousRun,
): Promise<NextCycle | undefined> => {
  const cycle = await loadCycleContext(tenant, task.projectId);
  // What comes that late has waited for a worker: one that listens would keep others waiting.
  const isLate = cycle && earlyByMs(cycle, deps) < -lateMaxSeconds * 1_000;
  // Whoever was to be relieved may have left by now.
  const isAlone = task.isHandover && cycle?.pitr.turn === task.turn + 1;
  if (!cycle || (cycle.pitr.turn !== task.turn && !isAlone) || !isContinuous(cycle) || isLate)
    return runCaptureCycle(tenant, task, deps, run.signal);
  const listener = new Listener(deps, run);
  try {
    let here = task.isHandover && !isAlone ? await listener.takeOverFrom(cycle) : cycle;
    for (let breaks = 0; here && isContinuous(here); here = await listener.following(here)) {
      const isLast = listener.isLast(here);
      const beforeSeconds = Math.max(0, earlyByMs(here, deps) / 1_000 - togetherSeconds);
      if (isLast) await run.enqueueCycle({ turn: here.pitr.turn, delaySeconds: beforeSeconds, isHandover: true });
      const { next, isCaptured } = await listener.hear(here);
      if (!next || !isCaptured) return next;
      breaks = listener.isBroken ? breaks + 1 : 0;
      if (breaks > breaksMax) return next;
      if (listener.isFull) return { ...next, delaySeconds: 0 };
      await run.enqueueCycle({ turn: next.turn, delaySeconds: next.delaySeconds + graceSeconds });
      if (isLast) return undefined;
    }
    return here && { turn: here.pitr.turn, delaySeconds: 0 };
  } finally {
    await listener.close();
  }
};

const untilSecondMs = ({ clock }: BackupDeps): number => {
  const ms = lookEveryMs - (clock.now().getTime() % lookEveryMs) + behindMs;
  return ms > lookEveryMs ? ms - lookEveryMs : ms;
};

/** Hears a project turn after turn. */
class Listener {
  readonly #deps: BackupDeps;
  readonly #run: ContinuousRun;
  #capturing: CaptureSession | undefined;
  /** Since when it was asked nothing, and for how long it is asked every second. */
  #quietMs = 0;
  #askingMs = 0;

  constructor(deps: BackupDeps, run: ContinuousRun) {
    this.#deps = deps;
    this.#run = run;
  }

  get isBroken(): boolean {
    return this.#capturing?.session.isBroken ?? false;
  }

  get isFull(): boolean {
    return (this.#capturing?.session.streamsToSpare ?? 0) > streamsMax;
  }

  /** Whether there is no time for another turn after this one. */
  isLast(cycle: CycleContext): boolean {
    const dueMs = Math.max(Date.parse(cycle.pitr.nextTurnAt ?? ''), this.#deps.clock.now().getTime());
    return dueMs + cycleSeconds(cycle) * 1_000 > this.#run.until.getTime();
  }

  /** The cycle of the turn after this one; undefined if it is another's. */
  async following({ tenant, pitr: { projectId, turn } }: CycleContext): Promise<CycleContext | undefined> {
    const cycle = await loadCycleContext(tenant, projectId);
    return cycle?.pitr.turn === turn + 1 ? cycle : undefined;
  }

  /** Listens beside whoever does, until the turn is over; what comes then is ours. If that does not come about it begins by itself. */
  async takeOverFrom(cycle: CycleContext): Promise<CycleContext | undefined> {
    const { tenant, pitr } = cycle;
    try {
      await (await this.#opened(cycle, newReadBudget())).startShadowing(cycle);
    } catch {
      await this.close();
    }
    const { signal } = this.#run;
    for (;;) {
      const here = await loadCycleContext(tenant, pitr.projectId);
      if (!here || here.pitr.turn > pitr.turn + 1) return undefined;
      const isOver = here.pitr.turn === pitr.turn + 1;
      if (isOver || signal.aborted || earlyByMs(here, this.#deps) < -graceSeconds * 1_000) {
        if (!isOver || !(await this.#capturing?.tryTakeOver(here))) await this.close();
        return here;
      }
      await this.#pass(lookEveryMs);
    }
  }

  /** Hears until the turn is due, and ends it. What went wrong is not captured, and left to the queue. */
  async hear(cycle: CycleContext): Promise<{ readonly next: NextCycle | undefined; readonly isCaptured: boolean }> {
    let isCaptured = false;
    const next = await attemptCycle(cycle, this.#deps, async (budget) => {
      const capturing = await this.#opened(cycle, budget);
      await this.#wait(capturing, cycle);
      const ended = await capturing.endCycle(await reloadSameCycle(cycle), budget);
      isCaptured = true;
      return ended;
    });
    return { next, isCaptured };
  }

  async close(): Promise<void> {
    await this.#capturing?.close();
    this.#capturing = undefined;
  }

  /** A stream that was broken off is opened again at once, not only when the turn is due. */
  async #opened(cycle: CycleContext, budget: ReadBudget): Promise<CaptureSession> {
    if (this.isBroken) await this.close();
    const { signal } = this.#run;
    this.#capturing ??= await CaptureSession.open(cycle, { isSingleCycle: false, budget, signal }, this.#deps);
    return this.#capturing;
  }

  /** Until the turn is due, a stream is broken off, or there is much to store. */
  async #wait({ session }: CaptureSession, cycle: CycleContext): Promise<void> {
    const { signal } = this.#run;
    let seenMs = earlyByMs(cycle, this.#deps);
    for (let leftMs = seenMs; leftMs > 0; leftMs = earlyByMs(cycle, this.#deps)) {
      if (session.isBroken || signal.aborted || session.observed.documents > documentsMax) return;
      // What is disabled, or deleted, is not listened to until its turn would have been over.
      if (seenMs - leftMs >= askEveryMs) {
        await reloadSameCycle(cycle);
        seenMs = leftMs;
      }
      await this.#pass(Math.min(leftMs, lookEveryMs));
    }
  }

  /**
   * What changes first in a second is looked up, all of it if that is a large commit: then it is cheaper to have the source tell a
   * time as each second begins.
   */
  async #pass(mostMs: number): Promise<void> {
    const { observed, streams = 1 } = this.#capturing?.session ?? {};
    const before = observed?.searches.length ?? 0;
    const ms = this.#askingMs > 0 ? Math.min(mostMs, untilSecondMs(this.#deps)) : mostMs;
    await this.#run.pause(ms);
    this.#quietMs += ms;
    this.#askingMs = (observed?.searches.length ?? 0) - before > worthAsking * streams ? askingMs : this.#askingMs - ms;
    if (this.#quietMs < askEveryMs && this.#askingMs <= 0) return;
    this.#quietMs = 0;
    await this.#capturing?.session.requestTime().catch(() => undefined);
  }
}
