import { type Backoff, retry } from '../../platform/async/retry.ts';
import { checksumMismatch, StorageError } from './object-store.ts';

/** How often and how long a request is tried before the store counts as unavailable. */
export interface StoreRetryPolicy extends Backoff {
  readonly maxDelayMs: number;
  /** Timeout of one request, from its first byte to the last byte of the response headers. */
  readonly requestMs: number;
}

/** For workers: waits up to 9 s in all for a busy store. */
export const workerRetryPolicy: StoreRetryPolicy = { attempts: 7, firstDelayMs: 200, maxDelayMs: 4_000, requestMs: 60_000 };
/** For tasks, which the queue delivers again: gives up a request after 32 s at most. */
export const taskRetryPolicy: StoreRetryPolicy = { attempts: 3, firstDelayMs: 200, maxDelayMs: 1_000, requestMs: 10_000 };
/** For API requests, which must respond within 20 s. */
export const requestRetryPolicy: StoreRetryPolicy = { attempts: 3, firstDelayMs: 200, maxDelayMs: 1_000, requestMs: 5_000 };

/** Half of each delay is random. */
const jitter = 0.5;

/** After this many consecutive mismatches the store is defective: it is no outage that ends. */
export const mismatchesMax = 5;

/** Retries `work` while it fails with a transient StorageError. */
export const retryTransient = <T>(work: () => Promise<T>, policy: StoreRetryPolicy, signal?: AbortSignal): Promise<T> => {
  let mismatches = 0;
  const attempt = async (): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const mismatch = error instanceof StorageError && error.isTransient ? error.mismatch : undefined;
      mismatches = mismatch ? mismatches + 1 : 0;
      throw mismatch && mismatches >= mismatchesMax ? checksumMismatch(mismatch, true) : error;
    }
  };
  return retry({ ...policy, jitter }, { classify: isTransient, work: attempt, signal });
};

const isTransient = (error: unknown): boolean => error instanceof StorageError && error.isTransient;
