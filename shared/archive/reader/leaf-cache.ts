import type { Leaf } from '../leaf/leaf.ts';
import type { Segment } from '../page/index-page.ts';

export type LeafContents = 'all' | 'keys';

/** The longest chain has about fifty leaves in use at once, each below 1 MB with its names. */
const chainBytes = 48 << 20;

interface CacheEntry {
  readonly leaf: Promise<Leaf>;
  readonly part: LeafContents;
  readonly segment: Segment;
  bytes: number;
}

/**
 * LRU cache of the leaves of a chain. The index of an incremental backup alternates between leaves of all the backups it
 * references, a few records at a time; without the cache each leaf would be fetched repeatedly.
 */
export class LeafCache {
  readonly #entries = new Map<string, CacheEntry>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number = chainBytes) {
    this.#maxBytes = maxBytes;
  }

  get(segment: Segment, part: LeafContents, read: () => Promise<Leaf>): Promise<Leaf> {
    const key = `${segment.backup} ${segment.object} ${segment.frame}`;
    const known = this.#entries.get(key);
    if (known && isSame(known.segment, segment) && (known.part === 'all' || part === 'keys')) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.leaf;
    }
    this.#evict(key);
    const entry: CacheEntry = { leaf: read(), part, segment, bytes: 0 };
    this.#entries.set(key, entry);
    entry.leaf.then(
      (leaf) => this.#addSize(key, entry, leaf),
      // Failures are not cached.
      () => this.#entries.get(key) === entry && this.#evict(key),
    );
    return entry.leaf;
  }

  #addSize(key: string, entry: CacheEntry, { bytes }: Leaf): void {
    if (this.#entries.get(key) !== entry) return;
    entry.bytes = bytes;
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#evict(oldest);
    }
  }

  #evict(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

/** A cached leaf is valid for another segment only if that lists the same hashes. */
const isSame = (a: Segment, b: Segment): boolean =>
  a.offset === b.offset && a.keysSha256.equals(b.keysSha256) && a.bodiesSha256.equals(b.bodiesSha256);
