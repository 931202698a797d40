import { SourceError } from '../firestore/index.ts';
import type { Clock } from '../platform/index.ts';

/**
 * What ends a worker's run early. `stop`: the job's time is over or it has ended by other hands; all is let go of. `pause`:
 * the worker's own time is nearly over; what was read is stored, and another run goes on behind it.
 */
export class RunControl {
  readonly #stop = new AbortController();
  readonly #pause = new AbortController();
  readonly #timers: readonly NodeJS.Timeout[];
  /** For reading: ended by either. */
  readonly reading: AbortSignal = AbortSignal.any([this.#stop.signal, this.#pause.signal]);
  /** For storing what was read. */
  readonly storing: AbortSignal = this.#stop.signal;

  /** `end`: when the job's own time is over, and what it failed of then. */
  constructor(handOver: Date, clock: Clock, end?: { readonly at: string; readonly error: Error }) {
    const inMs = (moment: number): number => Math.max(0, moment - clock.now().getTime());
    this.#timers = [
      ...(end ? [setTimeout(() => this.stop(end.error), inMs(Date.parse(end.at)))] : []),
      setTimeout(() => this.#pause.abort(), inMs(handOver.getTime())),
    ];
  }

  get isYielding(): boolean {
    return this.#pause.signal.aborted;
  }

  stop(reason: Error): void {
    this.#stop.abort(reason);
  }

  /** Throws the reason if it was stopped. */
  check(): void {
    this.#stop.signal.throwIfAborted();
  }

  /** What an error of an interrupted call really means; a pause is no error. */
  explain(error: unknown): unknown {
    if (this.#stop.signal.aborted) return this.#stop.signal.reason;
    return this.isYielding && error instanceof SourceError && error.code === 'CANCELLED' ? undefined : error;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
