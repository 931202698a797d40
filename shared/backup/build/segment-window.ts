import { compareNames, type Segment } from '../../archive/index.ts';

/** Segments up to an end, with a view of those that follow. */
export class SegmentWindow {
  readonly #segments: AsyncIterator<Segment>;
  readonly #to: Uint8Array | undefined;
  #ahead: Segment[] = [];
  #isOver = false;
  /** The first name from the end on. */
  #beyond: Buffer | undefined;

  constructor(segments: AsyncIterator<Segment>, to: Uint8Array | undefined) {
    this.#segments = segments;
    this.#to = to;
  }

  async next(): Promise<Segment | undefined> {
    await this.#fill(1);
    return this.#ahead.shift();
  }

  /** The segment so many after the current one, and whether there is none. */
  async peek(n = 0): Promise<{ readonly value: Segment | undefined; readonly isLast: boolean }> {
    await this.#fill(n + 1);
    const value = this.#ahead[n];
    return { value, isLast: value === undefined };
  }

  /** Whether a segment begins exactly there, so that no record of the last one lies beyond. Known once the last one was peeked after. */
  endsAt(name: Uint8Array): boolean {
    return this.#beyond !== undefined && compareNames(this.#beyond, name) === 0;
  }

  async #fill(count: number): Promise<void> {
    while (!this.#isOver && this.#ahead.length < count) {
      const next = await this.#segments.next();
      if (next.done || (this.#to && compareNames(next.value.first, this.#to) >= 0)) {
        this.#isOver = true;
        this.#beyond = next.done ? undefined : next.value.first;
        await this.#segments.return?.();
      } else this.#ahead.push(next.value);
    }
  }
}
