import type { Clock } from '../../platform/index.ts';

const first = 500;
const least = 10;
/** A crashed run may leave two checkpoints unreported: twice as many documents are then read again. */
export const checkpointMax = 20_000;
const factor = 4;
const shortMs = 2_000;
const longMs = 10_000;
/** With a requested rate, the first checkpoint covers this many seconds. */
const firstSeconds = 2;

/** Adapts the number of writes per checkpoint to the target's speed, so that a checkpoint takes some seconds. */
export class CheckpointSize {
  #size: number;
  #count = 0;
  #startedAtMs: number;
  readonly #clock: Clock;

  constructor(clock: Clock, maxWritesPerSecond = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#size = Math.max(least, Math.min(first, maxWritesPerSecond * firstSeconds));
    this.#startedAtMs = clock.now().getTime();
  }

  /** Counts a write; true if a checkpoint is due. */
  add(): boolean {
    this.#count += 1;
    return this.#count >= this.#size;
  }

  /** Starts the next checkpoint. Call the result when the outcome of the previous one is known. */
  next(): () => void {
    const startedAtMs = this.#startedAtMs;
    this.#startedAtMs = this.#nowMs();
    this.#count = 0;
    return () => this.#adapt(this.#nowMs() - startedAtMs);
  }

  #adapt(tookMs: number): void {
    if (tookMs > longMs) this.#size = Math.max(least, Math.floor(this.#size / factor));
    else if (tookMs < shortMs) this.#size = Math.min(checkpointMax, this.#size * factor);
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}
