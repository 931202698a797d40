import { cancelled } from '../grpc/source-error.ts';

/** Lets so many in at once, in the order they came. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  readonly #signal: AbortSignal;
  #free: number;

  /** With the signal nobody is let in any more. */
  constructor(places: number, signal: AbortSignal) {
    this.#free = places;
    this.#signal = signal;
    signal.addEventListener('abort', () => {
      for (const wake of this.#waiting.splice(0)) wake();
    });
  }

  async acquire(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else if (!this.#signal.aborted) await new Promise<void>((wake) => this.#waiting.push(wake));
    if (this.#signal.aborted) throw cancelled();
  }

  /** Only who was let in may leave. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
