import type { Clock } from '../platform/index.ts';
import type { RunControl } from './run-control.ts';
import { JobEndedError } from './running-job.ts';

/** How often a worker looks whether its job still runs: so long may it go on after a cancellation. */
export const lookEveryMs = 2_000;
/** What is worth telling: with twenty workers the job's own number is then never a tenth behind. */
export const tellShare = 1 / 200;
/** However little there is to tell. */
export const tellEveryMs = 15_000;

export interface HeartbeatOptions {
  /** Rejects with NotRunning or a JobFailure once the job has ended. */
  readonly checkRunning: (now: Date) => Promise<unknown>;
  /** All that the job has to do; 0 where nobody knows. */
  readonly total: number;
  readonly halt: RunControl;
  readonly clock: Clock;
  /** Of the shard, what the job has not been told of. */
  readonly unreported: () => number;
  readonly report: () => Promise<unknown>;
}

/**
 * Beside the work, at its own pace: looks whether the job still runs, and tells it how far the shard has come. Never per
 * document: a million of them cost a few hundred writes of the table.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #timer: NodeJS.Timeout;
  #underWay: Promise<void> | undefined;
  #toldAtMs: number;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#toldAtMs = options.clock.now().getTime();
    this.#timer = setInterval(() => {
      this.#underWay ??= this.#beat().finally(() => {
        this.#underWay = undefined;
      });
    }, lookEveryMs);
  }

  /** Resolves when nothing is being told any more, and nothing will be. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#underWay;
  }

  /** Never rejects: what ends the job stops the work, whatever else fails is tried again at the next beat. */
  async #beat(): Promise<void> {
    const { checkRunning, total, halt, clock, unreported, report } = this.#options;
    try {
      const now = clock.now();
      await checkRunning(now);
      const isWorth = unreported() > 0 && unreported() >= total * tellShare;
      if (!isWorth && now.getTime() - this.#toldAtMs < tellEveryMs) return;
      await report();
      this.#toldAtMs = now.getTime();
    } catch (error) {
      if (error instanceof JobEndedError || (error as Error).name === 'JobFailure') halt.stop(error as Error);
    }
  }
}
