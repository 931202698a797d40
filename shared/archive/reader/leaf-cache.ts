import type { Leaf } from '../leaf/leaf.ts';
import type { Segment } from '../page/index-page.ts';

/** What is fetched of a leaf. */
export type LeafContents = 'all' | 'keys';

/** A chain as long as they get has some fifty leaves under way at once, of less than a megabyte each with their names. */
const heldBytesMax = 48 << 20;

interface Held {
  readonly leaf: Promise<Leaf>;
  readonly part: LeafContents;
  readonly of: Segment;
  bytes: number;
}

/**
 * The leaves of a chain that were looked at last. The index of an incremental backup goes back and forth between the leaves of
 * all the backups that it finds records in, a few records at a time: without this each of them would be fetched again and again.
 */
export class LeafCache {
  readonly #held = new Map<string, Held>();
  #bytes = 0;

  get(segment: Segment, part: LeafContents, read: () => Promise<Leaf>): Promise<Leaf> {
    const key = `${segment.backup} ${segment.object} ${segment.frame}`;
    const known = this.#held.get(key);
    if (known && isSame(known.of, segment) && (known.part === 'all' || part === 'keys')) {
      this.#held.delete(key);
      this.#held.set(key, known);
      return known.leaf;
    }
    this.#forget(key);
    const held: Held = { leaf: read(), part, of: segment, bytes: 0 };
    this.#held.set(key, held);
    held.leaf.then(
      (leaf) => this.#weigh(key, held, leaf),
      // What failed may succeed for the next who asks.
      () => this.#held.get(key) === held && this.#forget(key),
    );
    return held.leaf;
  }

  #weigh(key: string, held: Held, { bytes }: Leaf): void {
    if (this.#held.get(key) !== held) return;
    held.bytes = bytes;
    this.#bytes += bytes;
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= heldBytesMax) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#held.get(key)?.bytes ?? 0;
    this.#held.delete(key);
  }
}

/** What was proven by one segment is proven for another only if that lists the same. */
const isSame = (a: Segment, b: Segment): boolean =>
  a.offset === b.offset && a.keysSha256.equals(b.keysSha256) && a.bodiesSha256.equals(b.bodiesSha256);
