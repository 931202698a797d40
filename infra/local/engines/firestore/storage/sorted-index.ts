/**
 * A sorted map from strings to small integers: leaves of up to 256 keys, found by their first keys. Two levels suffice: ten
 * million keys are about sixty thousand leaves, and a leaf splits at most once in 128 insertions.
 */
export class SortedIndex {
  readonly #leaves: Leaf[] = [{ keys: [], values: [] }];
  /** A lower bound of each leaf, greater than all keys before it: searched without touching the leaves. */
  readonly #bounds: string[] = [''];
  #size = 0;
  /** Incremented whenever a key is added or removed, so that walks notice. */
  #shape = 0;

  get size(): number {
    return this.#size;
  }

  get shape(): number {
    return this.#shape;
  }

  get(key: string): number | undefined {
    const leaf = this.#leaf(this.#leafOf(key));
    const at = lowerBound(leaf.keys, key);
    return leaf.keys[at] === key ? leaf.values[at] : undefined;
  }

  /** Sets a key's value and returns the previous one. */
  set(key: string, value: number): number | undefined {
    const index = this.#leafOf(key);
    const leaf = this.#leaf(index);
    const at = lowerBound(leaf.keys, key);
    if (leaf.keys[at] === key) {
      const before = leaf.values[at];
      leaf.values[at] = value;
      return before;
    }
    this.#size++;
    this.#shape++;
    // Keys inserted in order fill their leaves; splitting in halves would leave them half empty.
    if (leaf.keys.length >= leafMax && at === leaf.keys.length && index === this.#leaves.length - 1) {
      this.#leaves.push({ keys: [key], values: [value] });
      this.#bounds.push(key);
      return undefined;
    }
    leaf.keys.splice(at, 0, key);
    leaf.values.splice(at, 0, value);
    if (leaf.keys.length > leafMax) {
      const half = leafMax / 2;
      this.#bounds.splice(index + 1, 0, leaf.keys[half] ?? '');
      this.#leaves.splice(index + 1, 0, { keys: leaf.keys.splice(half), values: leaf.values.splice(half) });
    }
    return undefined;
  }

  delete(key: string): void {
    const index = this.#leafOf(key);
    const leaf = this.#leaf(index);
    const at = lowerBound(leaf.keys, key);
    if (leaf.keys[at] !== key) return;
    leaf.keys.splice(at, 1);
    leaf.values.splice(at, 1);
    this.#size--;
    this.#shape++;
    const next = this.#leaves[index + 1];
    if (next && leaf.keys.length + next.keys.length <= leafMax / 4) {
      leaf.keys.push(...next.keys);
      leaf.values.push(...next.values);
      this.#leaves.splice(index + 1, 1);
      this.#bounds.splice(index + 1, 1);
    } else if (leaf.keys.length === 0 && this.#leaves.length > 1) {
      this.#leaves.splice(index, 1);
      this.#bounds.splice(index, 1);
      this.#bounds[0] = '';
    }
  }

  /** Iterates over from ≤ key < to, in either direction. */
  walk(from: string, to: string, backwards = false): IndexWalk {
    return new IndexWalk(this, from, to, backwards);
  }

  /** The leaf and position of the first key ≥ `key`; the leaf is undefined past the end. For walks. */
  seek(key: string): { leaf: Leaf | undefined; leafIndex: number; at: number } {
    let leafIndex = this.#leafOf(key);
    let leaf: Leaf | undefined = this.#leaf(leafIndex);
    let at = lowerBound(leaf.keys, key);
    if (at === leaf.keys.length) {
      leaf = this.#leaves[++leafIndex];
      at = 0;
    }
    return { leaf, leafIndex, at };
  }

  leafAt(index: number): Leaf | undefined {
    return this.#leaves[index];
  }

  #leaf(index: number): Leaf {
    const leaf = this.#leaves[index];
    if (!leaf) throw new Error(`no leaf ${index}`);
    return leaf;
  }

  /** The leaf that contains or would contain a key. */
  #leafOf(key: string): number {
    let low = 0;
    let high = this.#leaves.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#bounds[middle] ?? '') <= key) low = middle;
      else high = middle;
    }
    return low;
  }
}

export interface Leaf {
  readonly keys: string[];
  readonly values: number[];
}

/** A position in a tree that stays valid while the tree changes. */
export class IndexWalk {
  readonly #tree: SortedIndex;
  readonly #from: string;
  readonly #to: string;
  readonly #backwards: boolean;
  #shape = -1;
  #leaf: Leaf | undefined;
  #leafIndex = 0;
  #at = 0;
  #started = false;
  key = '';
  value = 0;

  constructor(tree: SortedIndex, from: string, to: string, backwards: boolean) {
    this.#tree = tree;
    this.#from = from;
    this.#to = to;
    this.#backwards = backwards;
  }

  /** Moves to the next key; false at the end. */
  next(): boolean {
    if (this.#shape !== this.#tree.shape) this.#seek();
    else if (this.#backwards) this.#at--;
    else this.#at++;
    if (this.#backwards) {
      while (this.#leaf === undefined || this.#at < 0) {
        this.#leaf = this.#tree.leafAt(--this.#leafIndex);
        if (!this.#leaf) return false;
        this.#at = this.#leaf.keys.length - 1;
      }
    } else if (this.#leaf && this.#at >= this.#leaf.keys.length) {
      this.#leaf = this.#tree.leafAt(++this.#leafIndex);
      this.#at = 0;
    }
    const key = this.#leaf?.keys[this.#at];
    if (key === undefined || (this.#backwards ? key < this.#from : key >= this.#to)) return false;
    this.key = key;
    this.value = this.#leaf?.values[this.#at] ?? 0;
    this.#started = true;
    return true;
  }

  /** Restores the position: after the last key seen, or at the start. */
  #seek(): void {
    this.#shape = this.#tree.shape;
    const start = this.#backwards ? this.#to : this.#from;
    const { leaf, leafIndex, at } = this.#tree.seek(this.#started ? this.key : start);
    this.#leaf = leaf;
    this.#leafIndex = leafIndex;
    // Forwards, the last key seen is skipped if it still exists; backwards, the position before is next.
    if (this.#backwards) this.#at = at - 1;
    else this.#at = this.#started && leaf?.keys[at] === this.key ? at + 1 : at;
  }
}

const leafMax = 256;

/** The first position whose key is ≥ key. */
const lowerBound = (keys: readonly string[], key: string): number => {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
};
