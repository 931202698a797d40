import { SourceError } from '../firestore/index.ts';
import type { Clock } from '../platform/index.ts';

/**
 * Ends a run early. `stop`: the job was cancelled or timed out; abandon everything. Yield: the Lambda is about to time out; store what
 * was read, the next run continues.
 */
export class RunControl {
  readonly #stop = new AbortController();
  readonly #yield = new AbortController();
  readonly #timers: readonly NodeJS.Timeout[];
  /** For reads: aborted by a stop and by a yield. */
  readonly reading: AbortSignal = AbortSignal.any([this.#stop.signal, this.#yield.signal]);
  /** For writes: aborted by a stop only. */
  readonly storing: AbortSignal = this.#stop.signal;

  /** Yields at `yieldAt`. `end` is the job's own deadline and the error of missing it. */
  constructor(yieldAt: Date, clock: Clock, end?: { readonly at: string; readonly error: Error }) {
    const inMs = (atMs: number): number => Math.max(0, atMs - clock.now().getTime());
    this.#timers = [
      ...(end ? [setTimeout(() => this.stop(end.error), inMs(Date.parse(end.at)))] : []),
      setTimeout(() => this.#yield.abort(), inMs(yieldAt.getTime())),
    ];
  }

  get isYielding(): boolean {
    return this.#yield.signal.aborted;
  }

  stop(reason: Error): void {
    this.#stop.abort(reason);
  }

  /** Throws the reason of a stop. */
  check(): void {
    this.#stop.signal.throwIfAborted();
  }

  /** The reason behind an error of an interrupted call; undefined for a yield, which is no error. */
  explain(error: unknown): unknown {
    if (this.#stop.signal.aborted) return this.#stop.signal.reason;
    return this.isYielding && error instanceof SourceError && error.code === 'CANCELLED' ? undefined : error;
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
