/** Event sources and asynchronous invocations retry what Lambda throttles: the function has not seen the event yet. */
import { setTimeout as pause } from 'node:timers/promises';
import { isThrottled } from './function-spec.ts';

const firstPauseMs = 500;
const lastPauseMs = 10_000;

interface ThrottleRetry {
  /** How long it is retried, in real time. */
  readonly forMs: number;
  readonly delayScale: number;
  readonly signal?: AbortSignal | undefined;
}

/** Repeats a throttled invocation with growing pauses. Any other outcome, and the last throttle, are the caller's. */
export const retryThrottled = async <T>({ forMs, delayScale, signal }: ThrottleRetry, invoke: () => Promise<T>): Promise<T> => {
  const sinceMs = Date.now();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, lastPauseMs)) {
    try {
      return await invoke();
    } catch (error) {
      if (!isThrottled(error) || Date.now() - sinceMs > forMs || signal?.aborted) throw error;
      await pause(pauseMs / delayScale, undefined, signal && { signal });
    }
  }
};
