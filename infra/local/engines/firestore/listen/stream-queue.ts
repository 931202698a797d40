/** The work queue of a stream: commits, requests and timers add to it, and one sender takes from it. */
export class StreamQueue<T> {
  #items: T[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  put(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** Inserts the item before the first waiting item that matches. */
  putBefore(item: T, fits: (waiting: T) => boolean): void {
    const at = this.#items.findIndex(fits);
    this.#items.splice(at < 0 ? this.#items.length : at, 0, item);
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *take(): AsyncGenerator<T> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) yield item;
      else if (this.#closed) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }
}
