import { setTimeout as pause } from 'node:timers/promises';
import { randomFraction } from '../random-id.ts';

/** Exponential back-off with jitter: after attempt n the delay is `firstDelayMs * 2^(n - 1)`, at most `maxDelayMs`. */
export interface Backoff {
  /** Calls of `work`, the first included. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs?: number;
  /** The part of each delay that is random, from 0 to 1. Default: all of it. */
  readonly jitter?: number;
}

export interface RetriedWork<T> {
  readonly classify: (error: unknown) => RetryVerdict;
  readonly work: (attempt: number) => Promise<T>;
  /** Ends the attempts and the waits between them; `retry` then rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

/** Whether an error is worth another attempt, after the delay or at once. `at-once` is not limited by `attempts`: the classifier limits it. */
export type RetryVerdict = boolean | 'at-once';

/** Calls `work` until it succeeds, fails with an error that is not retryable, or has used all attempts. */
export const retry = async <T>(
  { attempts, firstDelayMs, maxDelayMs = Number.POSITIVE_INFINITY, jitter = 1 }: Backoff,
  { classify, work, signal, random = randomFraction, sleep = sleepUntilAborted }: RetriedWork<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await work(attempt);
    } catch (error) {
      signal?.throwIfAborted();
      const verdict = classify(error);
      if (verdict === 'at-once') continue;
      if (!verdict || attempt >= attempts) throw error;
    }
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1));
    if (delayMs > 0) await sleep(delayMs * (1 - jitter + jitter * random()), signal);
  }
};

const sleepUntilAborted = (ms: number, signal?: AbortSignal): Promise<unknown> =>
  pause(ms, undefined, signal && { signal }).catch(() => undefined);
