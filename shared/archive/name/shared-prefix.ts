/** Computes shared prefixes of consecutive names, millions per backup. */
export class SharedPrefix {
  #a: Uint8Array = none;
  #aView: DataView = new DataView(none.buffer);
  #b: Uint8Array = none;
  #bView: DataView = new DataView(none.buffer);

  /**
   * The number of leading bytes that two names share, compared eight at a time. Consecutive names share the path of their
   * collection and lie in the same buffers, so cached views pay off.
   */
  length(a: Uint8Array, aStart: number, aEnd: number, b: Uint8Array, bStart: number, bEnd: number): number {
    if (a !== this.#a) this.#aView = viewOf(a);
    if (b !== this.#b) this.#bView = viewOf(b);
    this.#a = a;
    this.#b = b;
    const [aView, bView] = [this.#aView, this.#bView];
    const max = Math.min(aEnd - aStart, bEnd - bStart);
    let i = 0;
    while (i + 8 <= max && aView.getBigUint64(aStart + i) === bView.getBigUint64(bStart + i)) i += 8;
    while (i < max && a[aStart + i] === b[bStart + i]) i++;
    return i;
  }
}

const none = new Uint8Array();
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
