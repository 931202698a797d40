/** Clock and timers of connections and streams. Tests use virtual time. */
export interface Timers {
  /** Monotonic. */
  now(): number;
  set(callback: () => void, delayMs: number): Timer;
  clear(timer: Timer | undefined): void;
}

export interface Timer {
  /** Restarts the delay. */
  refresh(): unknown;
  /** Lets the process exit while the timer is pending. */
  unref(): unknown;
}

export const systemTimers: Timers = {
  now: () => performance.now(),
  set: (callback, delayMs) => setTimeout(callback, delayMs),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};
