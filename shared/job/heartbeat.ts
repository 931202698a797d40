import type { Clock } from '../platform/index.ts';
import type { RunControl } from './run-control.ts';
import { JobEndedError } from './running-job.ts';

/** How often a worker checks that its job still runs: the longest it continues after a cancellation. */
export const checkIntervalMs = 2_000;
/** Progress is reported once it exceeds this share of the job: with twenty workers the job lags by less than a tenth. */
export const reportShare = 1 / 200;
/** Progress is reported at least this often. */
export const reportIntervalMs = 15_000;

interface HeartbeatOptions {
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
 * Runs `work` with a heartbeat beside it: every 2 s it checks that the job was not cancelled, and it reports progress. Reports are
 * batched, so a million documents cost a few hundred table writes. No beat is in progress when the promise settles.
 */
export const withHeartbeat = async <T>(options: HeartbeatOptions, work: () => Promise<T>): Promise<T> => {
  const { checkRunning, control, clock, total = 0, unreported = () => 0, report } = options;
  let reportedAtMs = clock.now().getTime();
  let beating: Promise<void> | undefined;
  /** Never rejects. An ended job stops the work; any other failure is retried at the next beat. */
  const beat = async (): Promise<void> => {
    try {
      const now = clock.now();
      await checkRunning(now);
      const isWorthReporting = unreported() > 0 && unreported() >= total * reportShare;
      if (!isWorthReporting && now.getTime() - reportedAtMs < reportIntervalMs) return;
      await report?.();
      reportedAtMs = now.getTime();
    } catch (error) {
      if (error instanceof JobEndedError || (error as Error).name === 'JobFailure') control.stop(error as Error);
    }
  };
  const timer = setInterval(() => {
    beating ??= beat().finally(() => {
      beating = undefined;
    });
  }, checkIntervalMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await beating;
  }
};
