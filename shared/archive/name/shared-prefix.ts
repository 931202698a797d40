/** Compares names that come one after the other, as they do in a backup: by the million, each with the one before it. */
export class SharedPrefix {
  #left: Uint8Array = none;
  #leftView: DataView = new DataView(none.buffer);
  #right: Uint8Array = none;
  #rightView: DataView = new DataView(none.buffer);

  /**
   * How many bytes two names have in common at their beginning, eight at a time: names share the path to their collection,
   * and the same bytes are looked into again and again, so that views of them pay.
   */
  length(a: Uint8Array, aStart: number, aEnd: number, b: Uint8Array, bStart: number, bEnd: number): number {
    if (a !== this.#left) this.#leftView = viewOf(a);
    if (b !== this.#right) this.#rightView = viewOf(b);
    this.#left = a;
    this.#right = b;
    const [left, right] = [this.#leftView, this.#rightView];
    const shorter = Math.min(aEnd - aStart, bEnd - bStart);
    let i = 0;
    while (i + 8 <= shorter && left.getBigUint64(aStart + i) === right.getBigUint64(bStart + i)) i += 8;
    while (i < shorter && a[aStart + i] === b[bStart + i]) i++;
    return i;
  }
}

const none = new Uint8Array();
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
