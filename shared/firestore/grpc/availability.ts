import { systemTimers, type Timers } from '../../platform/index.ts';

/** A call that waits for data. */
interface Waiting {
  /** Data arrived; the call waits for more. */
  received(): void;
  end(): void;
}

/** Whether a database answers: why calls have failed since the last success, and for how long calls have received nothing. */
export class Availability {
  /** Why calls have failed since the last success; undefined while they succeed. */
  heldBy: 'quota' | 'database' | undefined;
  successes = 0;
  readonly #timers: Pick<Timers, 'now'>;
  readonly #waiting = new Map<Waiting, number>();

  constructor(timers: Pick<Timers, 'now'> = systemTimers) {
    this.#timers = timers;
  }

  /** For how long the call that has waited longest has received nothing. */
  get silentMs(): number {
    return this.#waiting.size === 0 ? 0 : this.#timers.now() - Math.min(...this.#waiting.values());
  }

  /** A call waits for data from now on. */
  wait(): Waiting {
    const waiting: Waiting = {
      received: () => this.#waiting.set(waiting, this.#timers.now()),
      end: () => this.#waiting.delete(waiting),
    };
    waiting.received();
    return waiting;
  }

  /** `isExhausted`: the database refused the call for lack of quota. */
  failed({ isExhausted }: { readonly isExhausted: boolean }): void {
    this.heldBy = isExhausted ? 'quota' : 'database';
  }

  succeeded(): void {
    this.heldBy = undefined;
    this.successes += 1;
  }
}
