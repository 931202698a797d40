import { setTimeout as pause } from 'node:timers/promises';
import { randomFraction } from '../../platform/random-id.ts';
import { StorageError } from './object-store.ts';

/** How often and how long to try before a store counts as unavailable. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly mostDelayMs: number;
  /** For one request, from its first byte to the last of its answer's headers. */
  readonly requestMs: number;
}

/** A worker can wait out a store that is busy: 9 s in all. */
export const workerPatience: RetryPolicy = { attempts: 7, firstDelayMs: 200, mostDelayMs: 4_000, requestMs: 60_000 };
/** Others wait for their turn, and it comes again: a request is given up after 32 s at most. */
export const chorePatience: RetryPolicy = { attempts: 3, firstDelayMs: 200, mostDelayMs: 1_000, requestMs: 10_000 };
/** Somebody waits for the answer, which must come within the 20 s that a call has. */
export const callerPatience: RetryPolicy = { attempts: 3, firstDelayMs: 200, mostDelayMs: 1_000, requestMs: 5_000 };

/** Tries again what is only unavailable, at growing distances less a random half; all else is thrown at once. */
export const retryTransient = async <T>(work: () => Promise<T>, patience: RetryPolicy, signal?: AbortSignal): Promise<T> => {
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof StorageError) || !error.isTransient || tries >= patience.attempts) throw error;
    }
    await rest(Math.min(patience.mostDelayMs, patience.firstDelayMs * 2 ** (tries - 1)) * (1 - randomFraction() / 2), signal);
  }
};

const rest = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
  try {
    await pause(ms, undefined, signal ? { signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
};
