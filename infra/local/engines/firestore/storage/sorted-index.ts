/**
 * A sorted map from strings to small integers: leaves of up to 256 neighbours, found by their first keys. Two levels
 * suffice: ten million keys are some sixty thousand leaves, and a leaf splits once in 128 insertions at most.
 */
export class Tree {
  readonly #leaves: Leaf[] = [{ keys: [], values: [] }];
  /** For each leaf a key that is ≤ all of its own and > all of those before: searched without touching the leaves. */
  readonly #bounds: string[] = [''];
  #size = 0;
  /** Changes whenever a key comes or goes, so that a walk knows that its place is no longer true. */
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

  /** Sets a key's value; gives the one before. */
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
    // Keys that come in order fill their leaves; splitting in halves would leave them half empty.
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

  /** Walks over from ≤ key < to, upwards or downwards. */
  walk(from: string, to: string, backwards = false): Walk {
    return new Walk(this, from, to, backwards);
  }

  /** The leaf and the place in it of the first key ≥ `key`; past the last key the leaf is undefined. For walks. */
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

  /** The leaf where a key is or belongs. */
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

/** A place that moves over a tree and stays right while the tree changes under it. */
export class Walk {
  readonly #tree: Tree;
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

  constructor(tree: Tree, from: string, to: string, backwards: boolean) {
    this.#tree = tree;
    this.#from = from;
    this.#to = to;
    this.#backwards = backwards;
  }

  /** Moves to the next key; false when there is none. */
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

  /** Finds the place again: after the last key seen, or at the beginning. */
  #seek(): void {
    this.#shape = this.#tree.shape;
    const start = this.#backwards ? this.#to : this.#from;
    const { leaf, leafIndex, at } = this.#tree.seek(this.#started ? this.key : start);
    this.#leaf = leaf;
    this.#leafIndex = leafIndex;
    // Upwards the last key seen, if it is still there, is passed over; downwards the place before is the next.
    if (this.#backwards) this.#at = at - 1;
    else this.#at = this.#started && leaf?.keys[at] === this.key ? at + 1 : at;
  }
}

const leafMax = 256;

/** The first place whose key is ≥ key. */
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
