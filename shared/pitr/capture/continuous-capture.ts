/**
 * Continuous capture. One worker keeps its Listen streams open across cycles; before it times out it starts its successor, so that
 * no change falls between the two.
 */

import { captureHandoverSeconds, captureOverdueSeconds, consistentPointEveryMs } from '../../contract/limits.ts';
import { after, iso, type Tenant } from '../../platform/index.ts';
import type { BackupDeps } from '../../stored-backup/index.ts';
import { type CycleContext, loadCycleContext, reloadSameCycle } from '../model/cycle-context.ts';
import type { NextCycle } from '../model/end-cycle.ts';
import { attemptCycle, type CycleTask, earlyByMs, runCaptureCycle } from './capture-cycle.ts';
import { cycleSeconds, isContinuous } from './capture-mode.ts';
import { CaptureSession } from './capture-session.ts';
import { hasStopped, listensOn } from './handover.ts';
import { newReadBudget, type ReadBudget } from './read-budget.ts';

export interface ContinuousTask extends CycleTask {
  /** The current worker stops after this cycle: shadow it, then take over. */
  readonly isHandover?: boolean | undefined;
  /** When the current worker stops listening. */
  readonly endsAt?: string | undefined;
}

export interface QueuedCycle extends NextCycle {
  readonly isHandover?: boolean;
  readonly endsAt?: string;
}

interface ContinuousRun {
  readonly signal: AbortSignal;
  /** No cycle is started that would end after this. */
  readonly until: Date;
  /** A message for a cycle that has ended by then is ignored. */
  readonly enqueueCycle: (next: QueuedCycle) => Promise<void>;
  readonly pause: (ms: number) => Promise<void>;
}

/** A cycle overdue by this long is taken over by another worker: its own has crashed, or is very slow. */
const graceSeconds = 60;
const tickMs = 1_000;
/** With more look-ups per second and stream than this, requesting the time every second is cheaper, for a while. */
const lookupsPerTick = 3;
const everySecondMs = 30_000;
/** Slightly after the whole second: clocks differ, and the source must have reached it. */
const afterSecondMs = 50;
/** Each new root collection gets a stream of its own until the next worker merges them: at most this many extra ones. */
const streamsMax = 20;
/** Consecutive cycles that may end with a failed stream. Reopening costs a read per collection, so then it waits for the next cycle. */
const failuresMax = 3;
/** A cycle with more changed documents ends early: their names are held in memory. */
const documentsMax = 50_000;

/** Returns the cycle to enqueue, like `runCaptureCycle`. */
export const runContinuousCapture = async (
  tenant: Tenant,
  { task, deps, run }: { readonly task: ContinuousTask; readonly deps: BackupDeps; readonly run: ContinuousRun },
): Promise<NextCycle | undefined> => {
  const first = await loadCycleContext(tenant, task.projectId);
  const isLate = first && earlyByMs(first, deps) < -captureOverdueSeconds * 1_000;
  // The worker to take over from may have stopped already.
  const isAlone = task.isHandover && first && hasStopped(task, first.pitr);
  if (!first || (first.pitr.turn !== task.turn && !isAlone) || !isContinuous(first) || isLate)
    return runCaptureCycle(tenant, { task, deps, signal: run.signal });
  const listener = new Listener(deps, run);
  try {
    let cycle = task.isHandover && !isAlone ? await listener.takeOverFrom(first, task) : first;
    // When a successor takes over. A cycle that ends earlier, because a backup waits for it, is followed by another until then.
    let ends: Date | undefined;
    for (let failures = 0; cycle && isContinuous(cycle); cycle = await listener.cycleAfter(cycle)) {
      if (ends && !listensOn(cycle.pitr, iso(ends))) return undefined;
      if (listener.isLast(cycle)) ends ??= after(deps.clock.now(), Math.max(0, earlyByMs(cycle, deps) / 1_000));
      if (ends) {
        const delaySeconds = Math.max(0, secondsTo(ends, deps) - captureHandoverSeconds);
        await run.enqueueCycle({ turn: cycle.pitr.turn, delaySeconds, isHandover: true, endsAt: iso(ends) });
      }
      const { next, isCaptured } = await listener.runCycle(cycle, ends);
      if (!next || !isCaptured) return next;
      failures = listener.isBroken ? failures + 1 : 0;
      if (failures > failuresMax) return next;
      if (listener.isFull) return { ...next, delaySeconds: 0 };
      await run.enqueueCycle({ turn: next.turn, delaySeconds: next.delaySeconds + graceSeconds });
    }
    return cycle && { turn: cycle.pitr.turn, delaySeconds: 0 };
  } finally {
    await listener.close();
  }
};

const secondsTo = (moment: Date, { clock }: BackupDeps): number => (moment.getTime() - clock.now().getTime()) / 1_000;

const untilSecondMs = ({ clock }: BackupDeps): number => {
  const ms = tickMs - (clock.now().getTime() % tickMs) + afterSecondMs;
  return ms > tickMs ? ms - tickMs : ms;
};

/** Captures a project cycle after cycle. */
class Listener {
  readonly #deps: BackupDeps;
  readonly #run: ContinuousRun;
  #capture: CaptureSession | undefined;
  /** Time since the last time request, and how long the time is still requested every second. */
  #quietMs = 0;
  #everySecondMs = 0;

  constructor(deps: BackupDeps, run: ContinuousRun) {
    this.#deps = deps;
    this.#run = run;
  }

  get isBroken(): boolean {
    return this.#capture?.session.isBroken ?? false;
  }

  get isFull(): boolean {
    return (this.#capture?.session.streamsToSpare ?? 0) > streamsMax;
  }

  /** Whether there is no time for another cycle after this one. */
  isLast(cycle: CycleContext): boolean {
    const dueMs = Math.max(Date.parse(cycle.pitr.nextTurnAt ?? ''), this.#deps.clock.now().getTime());
    return dueMs + cycleSeconds(cycle) * 1_000 > this.#run.until.getTime();
  }

  /** The cycle after this one; undefined if another worker has run it. */
  async cycleAfter({ tenant, pitr: { projectId, turn } }: CycleContext): Promise<CycleContext | undefined> {
    const cycle = await loadCycleContext(tenant, projectId);
    return cycle?.pitr.turn === turn + 1 ? cycle : undefined;
  }

  /** Shadows the current worker until its cycle ends, then takes over. If shadowing fails, it resumes from the stored positions. */
  async takeOverFrom(shadowed: CycleContext, { endsAt }: ContinuousTask): Promise<CycleContext | undefined> {
    const { tenant, pitr } = shadowed;
    try {
      await (await this.#open(shadowed, newReadBudget())).startShadowing(shadowed);
    } catch {
      await this.close();
    }
    for (;;) {
      const cycle = await loadCycleContext(tenant, pitr.projectId);
      if (!cycle || cycle.pitr.turn > pitr.turn + 1) return undefined;
      const hasEnded = cycle.pitr.turn === pitr.turn + 1;
      if (hasEnded && listensOn(cycle.pitr, endsAt)) return undefined;
      if (hasEnded || this.#run.signal.aborted || earlyByMs(cycle, this.#deps) < -graceSeconds * 1_000) {
        if (!hasEnded || !(await this.#capture?.tryTakeOver(cycle))) await this.close();
        return cycle;
      }
      await this.#pause(tickMs);
    }
  }

  /** Listens until the cycle is due, at most until `ends`, and ends it. After a failure nothing is captured and the queue retries. */
  async runCycle(
    cycle: CycleContext,
    ends: Date | undefined,
  ): Promise<{ readonly next: NextCycle | undefined; readonly isCaptured: boolean }> {
    let isCaptured = false;
    const next = await attemptCycle(cycle, this.#deps, async (budget) => {
      const capture = await this.#open(cycle, budget);
      await this.#waitUntilDue(capture, cycle, ends);
      const ended = await capture.endCycle(await reloadSameCycle(cycle), budget);
      isCaptured = true;
      return ended;
    });
    return { next, isCaptured };
  }

  async close(): Promise<void> {
    await this.#capture?.close();
    this.#capture = undefined;
  }

  /** A failed stream is reopened at once, not only when the cycle is due. */
  async #open(cycle: CycleContext, budget: ReadBudget): Promise<CaptureSession> {
    if (this.isBroken) await this.close();
    const { signal } = this.#run;
    this.#capture ??= await CaptureSession.open(cycle, { isSingleCycle: false, budget, signal }, this.#deps);
    return this.#capture;
  }

  /** Resolves when the cycle is due, a stream fails, or there is much to store. */
  async #waitUntilDue({ session }: CaptureSession, cycle: CycleContext, ends: Date | undefined): Promise<void> {
    const { signal } = this.#run;
    const untilDueMs = (one: CycleContext): number =>
      Math.min(earlyByMs(one, this.#deps), ends ? secondsTo(ends, this.#deps) * 1_000 : Number.POSITIVE_INFINITY);
    let current = cycle;
    let checkedMs = untilDueMs(cycle);
    for (let remainingMs = checkedMs; remainingMs > 0; remainingMs = untilDueMs(current)) {
      if (session.isBroken || signal.aborted || session.observed.documents > documentsMax) return;
      // Stops listening soon after captures are disabled or the project is deleted, and when a backup waits for the cycle.
      if (checkedMs - remainingMs >= consistentPointEveryMs) {
        current = await reloadSameCycle(cycle);
        checkedMs = untilDueMs(current);
      }
      await this.#pause(Math.min(remainingMs, tickMs));
    }
  }

  /**
   * The first changes of a second are looked up, all of them after a large commit. It is then cheaper to request the time at the
   * start of each second.
   */
  async #pause(maxMs: number): Promise<void> {
    const { observed, streams = 1 } = this.#capture?.session ?? {};
    const before = observed?.searches.length ?? 0;
    const ms = this.#everySecondMs > 0 ? Math.min(maxMs, untilSecondMs(this.#deps)) : maxMs;
    await this.#run.pause(ms);
    this.#quietMs += ms;
    const isBusy = (observed?.searches.length ?? 0) - before > lookupsPerTick * streams;
    this.#everySecondMs = isBusy ? everySecondMs : this.#everySecondMs - ms;
    if (this.#quietMs < consistentPointEveryMs && this.#everySecondMs <= 0) return;
    this.#quietMs = 0;
    await this.#capture?.session.requestTime().catch(() => undefined);
  }
}
