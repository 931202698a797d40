import type { Clock } from '../../platform/index.ts';

const first = 500;
const least = 10;
/** Twice as many, those of two slices, are looked at again after a run that did not tell. */
export const checkpointMax = 20_000;
const factor = 4;
const shortMs = 2_000;
const longMs = 10_000;
/** Of a pace that was asked for, the first slice is what so long a time permits. */
const firstSeconds = 2;

/** How many writes are given between two checkpoints: many where the target is fast, few where a run would end before they are known. */
export class CheckpointSize {
  #size: number;
  #given = 0;
  #begunAtMs: number;
  readonly #clock: Clock;

  constructor(clock: Clock, maxWritesPerSecond = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#size = Math.max(least, Math.min(first, maxWritesPerSecond * firstSeconds));
    this.#begunAtMs = clock.now().getTime();
  }

  /** Counts a write; true if it is time for a checkpoint. */
  give(): boolean {
    this.#given += 1;
    return this.#given >= this.#size;
  }

  /** Begins another one; what it gives is called when it is known what became of the one before. */
  next(): () => void {
    const begunAtMs = this.#begunAtMs;
    this.#begunAtMs = this.#nowMs();
    this.#given = 0;
    return () => this.#learn(this.#nowMs() - begunAtMs);
  }

  #learn(tookMs: number): void {
    if (tookMs > longMs) this.#size = Math.max(least, Math.floor(this.#size / factor));
    else if (tookMs < shortMs) this.#size = Math.min(checkpointMax, this.#size * factor);
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}
