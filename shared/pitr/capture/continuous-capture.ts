/**
 * Turns of a project that is listened to all the time, for as long as a worker has: between them the streams stay open. Before it
 * leaves another one listens, too, so that nothing comes and goes unheard.
 */
import type { BackupDeps } from '../../backup/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { type CycleContext, loadCycleContext, reloadSameCycle } from '../model/cycle-context.ts';
import type { Next } from '../model/cycle-end.ts';
import { attempt, earlyByMs, runCaptureCycle, type TurnTask } from './capture-cycle.ts';
import { everySecondsOf, isLive } from './capture-mode.ts';
import { Capturing } from './capture-session.ts';
import { newReadBudget, type ReadBudget } from './read-budget.ts';

export interface LiveTask extends TurnTask {
  /** Somebody listens, and leaves when that turn is over. */
  readonly isRelief?: boolean | undefined;
}

/** What the queue is to bring. */
export interface Arranged extends Next {
  readonly isRelief?: boolean;
}

export interface LiveRun {
  readonly signal: AbortSignal;
  /** When it has to leave. */
  readonly until: Date;
  /** Has the queue bring a turn: of one that is over by then nothing comes. */
  readonly arrange: (next: Arranged) => Promise<void>;
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
  task: LiveTask,
  engine: BackupDeps,
  run: LiveRun,
): Promise<Next | undefined> => {
  const scene = await loadCycleContext(tenant, task.projectId);
  // What comes that late has waited for a worker: one that listens would keep others waiting.
  const isLate = scene && earlyByMs(scene, engine) < -lateMaxSeconds * 1_000;
  // Whoever was to be relieved may have left by now.
  const isAlone = task.isRelief && scene?.pitr.turn === task.turn + 1;
  if (!scene || (scene.pitr.turn !== task.turn && !isAlone) || !isLive(scene) || isLate)
    return runCaptureCycle(tenant, task, engine, run.signal);
  const listener = new Listener(engine, run);
  try {
    let here = task.isRelief && !isAlone ? await listener.takeOverFrom(scene) : scene;
    for (let breaks = 0; here && isLive(here); here = await listener.following(here)) {
      const isLast = listener.isLast(here);
      const beforeSeconds = Math.max(0, earlyByMs(here, engine) / 1_000 - togetherSeconds);
      if (isLast) await run.arrange({ turn: here.pitr.turn, delaySeconds: beforeSeconds, isRelief: true });
      const { next, isCaptured } = await listener.hear(here);
      if (!next || !isCaptured) return next;
      breaks = listener.isBroken ? breaks + 1 : 0;
      if (breaks > breaksMax) return next;
      if (listener.isFull) return { ...next, delaySeconds: 0 };
      await run.arrange({ turn: next.turn, delaySeconds: next.delaySeconds + graceSeconds });
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
  readonly #engine: BackupDeps;
  readonly #run: LiveRun;
  #capturing: Capturing | undefined;
  /** Since when it was asked nothing, and for how long it is asked every second. */
  #quietMs = 0;
  #askingMs = 0;

  constructor(engine: BackupDeps, run: LiveRun) {
    this.#engine = engine;
    this.#run = run;
  }

  get isBroken(): boolean {
    return this.#capturing?.session.isBroken ?? false;
  }

  get isFull(): boolean {
    return (this.#capturing?.session.streamsToSpare ?? 0) > streamsMax;
  }

  /** Whether there is no time for another turn after this one. */
  isLast(scene: CycleContext): boolean {
    const dueMs = Math.max(Date.parse(scene.pitr.nextTurnAt ?? ''), this.#engine.clock.now().getTime());
    return dueMs + everySecondsOf(scene) * 1_000 > this.#run.until.getTime();
  }

  /** The scene of the turn after this one; undefined if it is another's. */
  async following({ tenant, pitr: { projectId, turn } }: CycleContext): Promise<CycleContext | undefined> {
    const scene = await loadCycleContext(tenant, projectId);
    return scene?.pitr.turn === turn + 1 ? scene : undefined;
  }

  /** Listens beside whoever does, until the turn is over; what comes then is ours. If that does not come about it begins by itself. */
  async takeOverFrom(scene: CycleContext): Promise<CycleContext | undefined> {
    const { tenant, pitr } = scene;
    try {
      await (await this.#opened(scene, newReadBudget())).startShadowing(scene);
    } catch {
      await this.close();
    }
    const { signal } = this.#run;
    for (;;) {
      const here = await loadCycleContext(tenant, pitr.projectId);
      if (!here || here.pitr.turn > pitr.turn + 1) return undefined;
      const isOver = here.pitr.turn === pitr.turn + 1;
      if (isOver || signal.aborted || earlyByMs(here, this.#engine) < -graceSeconds * 1_000) {
        if (!isOver || !(await this.#capturing?.tryTakeOver(here))) await this.close();
        return here;
      }
      await this.#pass(lookEveryMs);
    }
  }

  /** Hears until the turn is due, and ends it. What went wrong is not captured, and left to the queue. */
  async hear(scene: CycleContext): Promise<{ readonly next: Next | undefined; readonly isCaptured: boolean }> {
    let isCaptured = false;
    const next = await attempt(scene, this.#engine, async (spending) => {
      const capturing = await this.#opened(scene, spending);
      await this.#wait(capturing, scene);
      const ended = await capturing.endTurn(await reloadSameCycle(scene), spending);
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
  async #opened(scene: CycleContext, spending: ReadBudget): Promise<Capturing> {
    if (this.isBroken) await this.close();
    const { signal } = this.#run;
    this.#capturing ??= await Capturing.open(scene, { isOnce: false, spending, signal }, this.#engine);
    return this.#capturing;
  }

  /** Until the turn is due, a stream is broken off, or there is much to store. */
  async #wait({ session }: Capturing, scene: CycleContext): Promise<void> {
    const { signal } = this.#run;
    let seenMs = earlyByMs(scene, this.#engine);
    for (let leftMs = seenMs; leftMs > 0; leftMs = earlyByMs(scene, this.#engine)) {
      if (session.isBroken || signal.aborted || session.gathering.documents > documentsMax) return;
      // What is disabled, or deleted, is not listened to until its turn would have been over.
      if (seenMs - leftMs >= askEveryMs) {
        await reloadSameCycle(scene);
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
    const { gathering, streams = 1 } = this.#capturing?.session ?? {};
    const before = gathering?.walks.length ?? 0;
    const ms = this.#askingMs > 0 ? Math.min(mostMs, untilSecondMs(this.#engine)) : mostMs;
    await this.#run.pause(ms);
    this.#quietMs += ms;
    this.#askingMs = (gathering?.walks.length ?? 0) - before > worthAsking * streams ? askingMs : this.#askingMs - ms;
    if (this.#quietMs < askEveryMs && this.#askingMs <= 0) return;
    this.#quietMs = 0;
    await this.#capturing?.session.ask().catch(() => undefined);
  }
}
