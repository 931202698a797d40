/** A token bucket with the capacity of one second. */
export class Quota {
  readonly #perSecond: number;
  #left: number;
  #at = performance.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
  }

  /** Takes up to `wanted` and returns the number granted. */
  take(wanted: number): number {
    this.#refill();
    const granted = Math.max(0, Math.min(wanted, Math.floor(this.#left)));
    this.#left -= granted;
    return granted;
  }

  /** Takes all or nothing. A request above one second's worth passes if the bucket is full, and leaves a debt. */
  takeAll(wanted: number): boolean {
    this.#refill();
    if (this.#left < Math.min(wanted, this.#perSecond)) return false;
    this.#left -= wanted;
    return true;
  }

  #refill(): void {
    const now = performance.now();
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
  }
}
