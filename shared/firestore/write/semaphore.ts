import { cancelled } from '../grpc/source-error.ts';

/** Limits concurrency, first come, first served. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  readonly #signal: AbortSignal;
  #free: number;

  /** After the signal, `acquire` throws CANCELLED. */
  constructor(permits: number, signal: AbortSignal) {
    this.#free = permits;
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

  /** Call only after a successful `acquire`. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
