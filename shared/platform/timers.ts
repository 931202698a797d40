/** Clock and timers of connections and streams. Tests pass their own, so that an hour takes a moment. */
export interface Timers {
  /** Monotonic. */
  now(): number;
  set(callback: () => void, delayMs: number): Timer;
  clear(timer: Timer | undefined): void;
}

export interface Timer {
  /** Starts the delay again. */
  refresh(): unknown;
  /** The process may end while the timer is pending. */
  unref(): unknown;
}

export const systemTimers: Timers = {
  now: () => performance.now(),
  set: (callback, delayMs) => setTimeout(callback, delayMs),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};
