import { ApiError } from '../../contract/errors.ts';
import { type RetriedWork, retry } from '../async/retry.ts';

/** A condition failed or a concurrent transaction won: what was read is out of date. StaleReadError is one of these. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.code === 'CONFLICT';

interface ConflictRetry extends Pick<RetriedWork<unknown>, 'random' | 'sleep'> {
  /** Calls of `work`, the first included. */
  readonly attempts: number;
  /** Between two attempts it waits a random time up to this long. */
  readonly jitterMs?: number;
  /** That time doubles with each attempt, up to this one. Default: it stays. */
  readonly jitterMaxMs?: number;
  /** Which errors are worth another attempt. */
  readonly isRetryable?: (error: unknown) => boolean;
}

/** Optimistic locking: runs `work`, which reads, decides and commits, again whenever its commit finds that its reads were stale. */
export const retryOnConflict = <T>(
  { attempts, jitterMs = 0, jitterMaxMs = jitterMs, isRetryable = isConflict, ...options }: ConflictRetry,
  work: (attempt: number) => Promise<T>,
): Promise<T> =>
  retry({ attempts, firstDelayMs: jitterMs, maxDelayMs: jitterMaxMs }, { classify: isRetryable, work, ...options });
