/** A token bucket with the capacity of one second. */
export class Quota {
  readonly #perSecond: number;
  #remaining: number;
  #at = performance.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#remaining = perSecond;
  }

  /** Takes up to `wanted` and returns the number granted. */
  take(wanted: number): number {
    this.#refill();
    const granted = Math.max(0, Math.min(wanted, Math.floor(this.#remaining)));
    this.#remaining -= granted;
    return granted;
  }

  /** Takes all or nothing. A request above one second's worth passes if the bucket is full, and leaves a debt. */
  takeAll(wanted: number): boolean {
    this.#refill();
    if (this.#remaining < Math.min(wanted, this.#perSecond)) return false;
    this.#remaining -= wanted;
    return true;
  }

  #refill(): void {
    const now = performance.now();
    this.#remaining = Math.min(this.#perSecond, this.#remaining + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
  }
}
