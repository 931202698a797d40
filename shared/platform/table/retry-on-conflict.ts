import { setTimeout as sleepMs } from 'node:timers/promises';
import { ApiError } from '../../contract/errors.ts';
import { randomFraction } from '../random-id.ts';

/** A condition failed or a concurrent transaction won: what was read is out of date. StaleReadError is one of these. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.code === 'CONFLICT';

export interface ConflictRetry {
  /** Calls of `work`, the first included. */
  readonly attempts: number;
  /** Between two attempts it waits a random time up to this long. */
  readonly jitterMs?: number;
  /** Which errors are worth another attempt. */
  readonly isRetryable?: (error: unknown) => boolean;
  readonly sleep?: (ms: number) => Promise<unknown>;
  readonly random?: () => number;
}

/** Optimistic locking: runs `work`, which reads, decides and commits, again whenever its commit finds that its reads were stale. */
export const retryOnConflict = async <T>(
  { attempts, jitterMs = 0, isRetryable = isConflict, sleep = sleepMs, random = randomFraction }: ConflictRetry,
  work: (attempt: number) => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= attempts || !isRetryable(error)) throw error;
      if (jitterMs > 0) await sleep(random() * jitterMs);
    }
  }
};
