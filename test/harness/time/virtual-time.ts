/** Virtual time advances only when everything waits for it: minutes of waiting take milliseconds. */
export class VirtualTime {
  nowMs = 1_700_000_000_000;
  readonly #timers: Timer[] = [];

  readonly sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      this.#timers.push({ atMs: this.nowMs + ms, wake });
    });

  /** Advances time, up to the given end. */
  async pass(ms: number): Promise<void> {
    const endMs = this.nowMs + ms;
    for (;;) {
      // Everything that needs no time is done.
      await new Promise((done) => setImmediate(done));
      const next = this.#timers.reduce<Timer | undefined>(
        (first, timer) => (first && first.atMs <= timer.atMs ? first : timer),
        undefined,
      );
      if (!next || next.atMs > endMs) break;
      this.#timers.splice(this.#timers.indexOf(next), 1);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.wake();
    }
    this.nowMs = endMs;
  }
}

interface Timer {
  readonly atMs: number;
  readonly wake: () => void;
}
