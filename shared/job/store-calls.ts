import type { ObjectStore } from '../destination/index.ts';
import type { Clock } from '../platform/index.ts';
import { wrapStore } from './wrap-store.ts';

/** The calls of the stores of a run. A call that has taken long shows that a bucket does not answer. */
export class StoreCalls {
  successes = 0;
  readonly #clock: Clock;
  readonly #pending = new Map<symbol, Date>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** When the oldest call in progress started. */
  get pendingSince(): Date | undefined {
    const [oldest] = this.#pending.values();
    return oldest;
  }

  watch(store: ObjectStore): ObjectStore {
    return wrapStore(store, async (call) => {
      const key = Symbol('call');
      this.#pending.set(key, this.#clock.now());
      try {
        const result = await call();
        this.successes += 1;
        return result;
      } finally {
        this.#pending.delete(key);
      }
    });
  }
}
