import type { Clock } from '../platform/index.ts';
import type { RunControl } from './run-control.ts';
import { JobEndedError } from './running-job.ts';

/** How often a worker checks that its job still runs: the longest it continues after a cancellation. */
export const checkIntervalMs = 2_000;
/** Progress is reported once it exceeds this share of the job: with twenty workers the job lags by less than a tenth. */
export const reportShare = 1 / 200;
/** Progress is reported at least this often. */
export const reportIntervalMs = 15_000;

export interface HeartbeatOptions {
  /** Rejects with JobEndedError or a JobFailure once the job has ended. */
  readonly checkRunning: (now: Date) => Promise<unknown>;
  readonly control: RunControl;
  readonly clock: Clock;
  /** The amount of work of the whole job; 0 if unknown. */
  readonly total?: number;
  /** The shard's progress that the job record does not contain yet. */
  readonly unreported?: () => number;
  readonly report?: () => Promise<unknown>;
}

/**
 * Heartbeat of a running shard: every 2 s it checks that the job was not cancelled, and it reports progress. Reports are batched, so a
 * million documents cost a few hundred table writes.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #timer: NodeJS.Timeout;
  #beating: Promise<void> | undefined;
  #reportedAtMs: number;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#reportedAtMs = options.clock.now().getTime();
    this.#timer = setInterval(() => {
      this.#beating ??= this.#beat().finally(() => {
        this.#beating = undefined;
      });
    }, checkIntervalMs);
  }

  /** Resolves when the beat in progress has ended. No other beat starts. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
  }

  /** Never rejects. An ended job stops the work; any other failure is retried at the next beat. */
  async #beat(): Promise<void> {
    const { checkRunning, control, clock, total = 0, unreported = () => 0, report } = this.#options;
    try {
      const now = clock.now();
      await checkRunning(now);
      const isWorthReporting = unreported() > 0 && unreported() >= total * reportShare;
      if (!isWorthReporting && now.getTime() - this.#reportedAtMs < reportIntervalMs) return;
      await report?.();
      this.#reportedAtMs = now.getTime();
    } catch (error) {
      if (error instanceof JobEndedError || (error as Error).name === 'JobFailure') control.stop(error as Error);
    }
  }
}

/** Runs `work` with a heartbeat beside it. The heartbeat has stopped when the promise settles. */
export const withHeartbeat = async <T>(options: HeartbeatOptions, work: () => Promise<T>): Promise<T> => {
  const heartbeat = new Heartbeat(options);
  try {
    return await work();
  } finally {
    await heartbeat.stop();
  }
};
