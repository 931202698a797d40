import type { Timer, Timers } from '../../../shared/platform/index.ts';

interface Pending extends Timer {
  readonly delayMs: number;
  readonly callback: () => void;
  atMs: number;
  isRefed: boolean;
  isCleared: boolean;
}

/** Timers of a clock that only `advance` moves. */
export class VirtualTimers implements Timers {
  readonly pending = new Set<Pending>();
  /** Number of timers set, by delay. */
  readonly counts = new Map<number, number>();
  #nowMs = 1_000;

  now(): number {
    return this.#nowMs;
  }

  set(callback: () => void, delayMs: number): Timer {
    const timer: Pending = {
      delayMs,
      callback,
      atMs: this.#nowMs + delayMs,
      isRefed: true,
      isCleared: false,
      refresh: () => {
        // Like Node: a fired timer restarts, a cleared one does not.
        if (timer.isCleared) return;
        this.pending.add(timer);
        timer.atMs = this.#nowMs + delayMs;
      },
      unref: () => {
        timer.isRefed = false;
      },
    };
    this.pending.add(timer);
    this.counts.set(delayMs, (this.counts.get(delayMs) ?? 0) + 1);
    return timer;
  }

  clear(timer: Timer | undefined): void {
    if (!timer) return;
    (timer as Pending).isCleared = true;
    this.pending.delete(timer as Pending);
  }

  /** Advances the clock and runs due timers in order. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.pending].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (!due) break;
      this.pending.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.callback();
    }
    this.#nowMs = endMs;
  }
}

/** Waits until a condition holds. */
export const until = async (condition: () => boolean, what: string): Promise<void> => {
  const endMs = performance.now() + 300_000;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`timed out waiting until ${what}`);
    await new Promise((done) => setTimeout(done, 1));
  }
};
