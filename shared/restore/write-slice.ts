import type { Clock } from '../platform/index.ts';

const first = 500;
const least = 10;
/** So many writes at most are looked at again after a run that did not tell. */
export const sliceMax = 20_000;
const factor = 4;
const shortMs = 2_000;
const longMs = 10_000;
/** Of a pace that was asked for, the first slice is what so long a time permits. */
const firstSeconds = 2;

/** How many writes are given between two checkpoints: many where the target is fast, few where a run would end before they are known. */
export class WriteSlice {
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

  /** A checkpoint was made. */
  begin(): void {
    const now = this.#clock.now().getTime();
    const tookMs = now - this.#begunAtMs;
    if (tookMs > longMs) this.#size = Math.max(least, Math.floor(this.#size / factor));
    else if (tookMs < shortMs) this.#size = Math.min(sliceMax, this.#size * factor);
    this.#given = 0;
    this.#begunAtMs = now;
  }
}
