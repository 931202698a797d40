/** So many per second, a second's worth at once. */
export class Quota {
  readonly #perSecond: number;
  #left: number;
  #at = performance.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
  }

  /** Takes up to `wanted`; says how many were granted. */
  take(wanted: number): number {
    this.#refill();
    const granted = Math.max(0, Math.min(wanted, Math.floor(this.#left)));
    this.#left -= granted;
    return granted;
  }

  /** Takes all or nothing; one larger than a second's worth passes when nothing is owed, and is paid off later. */
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
