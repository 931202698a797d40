import { type Archive, type Leaf, recordKind, type Segment } from '../../shared/archive/index.ts';
import {
  type BaseDocuments,
  below,
  depth,
  keyPath,
  keyPrefix,
  lastKey,
  type PathKey,
  pathKey,
  type ScanOptions,
  type StoredDocument,
} from '../local/engines/firestore/index.ts';

/** Leaves that a scan fetches in advance, once it has gone so far that they are likely to be wanted. */
const aheadMax = 4;
/** A lookup of many documents must not open as many connections. */
const fetchesMax = 16;

interface PlacedSegment {
  readonly segment: Segment;
  /** All its documents have keys below this one. */
  readonly end: PathKey;
}

/** The documents of a backup, fetched from its store by ranges: a lookup takes an index page and a leaf, which are cached. */
export class ArchiveDocuments implements BaseDocuments {
  readonly #archive: Archive;
  readonly #root: Buffer;
  readonly #pageKeys: readonly PathKey[];
  readonly #segmentKeys = new WeakMap<readonly Segment[], readonly PathKey[]>();
  readonly #errorOf: (error: unknown) => Error;
  #fetches = 0;
  readonly #waiting: (() => void)[] = [];

  /** The archive should cache leaves. `errorOf` explains to clients why a range cannot be read. */
  constructor(archive: Archive, errorOf: (error: unknown) => Error) {
    this.#archive = archive;
    this.#root = Buffer.from(archive.documentsRoot);
    this.#pageKeys = archive.pages.map(({ name }) => this.#keyOf(name));
    this.#errorOf = errorOf;
  }

  async get(key: PathKey): Promise<StoredDocument | undefined> {
    const page = lastAtMost(this.#pageKeys, key);
    if (page < 0) return undefined;
    const segments = await this.#segmentsOf(page);
    const segment = segments[lastAtMost(this.#keysOf(segments), key)];
    if (!segment) return undefined;
    const leaf = await this.#leafOf(segment);
    const slot = this.#lowerBound(leaf, segment, key);
    if (slot === segment.start + segment.count || leaf.kind(slot) !== recordKind.document) return undefined;
    return this.#keyOf(leaf.name(slot)) === key ? new ArchivedDocument(key, leaf, slot) : undefined;
  }

  async *scan(from: PathKey, to: PathKey, options: ScanOptions): AsyncGenerator<readonly StoredDocument[], void, undefined> {
    const fetched: Promise<readonly StoredDocument[]>[] = [];
    let ahead = 0;
    for await (const segment of this.#segments(from, to, options)) {
      const documents = this.#documents(segment, { from, to, ...options });
      // A failure is told when the documents are awaited.
      documents.catch(() => undefined);
      fetched.push(documents);
      const first = fetched.length > ahead ? fetched.shift() : undefined;
      if (!first) continue;
      yield await first;
      ahead = Math.min(2 * ahead || 1, aheadMax);
    }
    for (const documents of fetched) yield await documents;
  }

  /** The segments that may contain documents of the range, in its order. */
  async *#segments(
    from: PathKey,
    to: PathKey,
    { backwards = false, segments: wanted }: ScanOptions,
  ): AsyncGenerator<Segment, void, undefined> {
    for (const page of inOrder([...this.#pageKeys.keys()], backwards)) {
      const pageEnd = this.#pageKeys[page + 1] ?? lastKey;
      if ((this.#pageKeys[page] ?? '') >= to || pageEnd <= from) continue;
      const segments = await this.#segmentsOf(page);
      const keys = this.#keysOf(segments);
      const placed = segments.map((segment, i): PlacedSegment => ({ segment, end: keys[i + 1] ?? pageEnd }));
      for (const [i, { segment, end }] of inOrder([...placed.entries()], backwards)) {
        const first = keys[i] ?? '';
        if (first >= to || end <= from) continue;
        if (wanted === undefined || !isBelowOne(first, end, wanted)) yield segment;
      }
    }
  }

  async #documents(
    segment: Segment,
    { from, to, backwards = false, segments: wanted }: ScanOptions & { readonly from: PathKey; readonly to: PathKey },
  ): Promise<readonly StoredDocument[]> {
    const leaf = await this.#leafOf(segment);
    const end = segment.start + segment.count;
    const documents: StoredDocument[] = [];
    for (let slot = this.#lowerBound(leaf, segment, from); slot < end; slot++) {
      const key = this.#keyOf(leaf.name(slot));
      if (key >= to) break;
      if (leaf.kind(slot) !== recordKind.document) continue;
      if (wanted === undefined || depth(key) === wanted) documents.push(new ArchivedDocument(key, leaf, slot));
    }
    return backwards ? documents.reverse() : documents;
  }

  /** Of the records of a segment, the first whose key is not less than `key`. */
  #lowerBound(leaf: Leaf, { start, count }: Segment, key: PathKey): number {
    let [low, high] = [start, start + count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#keyOf(leaf.name(middle)) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #keysOf(segments: readonly Segment[]): readonly PathKey[] {
    const keys = this.#segmentKeys.get(segments) ?? segments.map(({ first }) => this.#keyOf(first));
    this.#segmentKeys.set(segments, keys);
    return keys;
  }

  /** Users, whose names sort before all documents, have the empty key. */
  #keyOf(name: Buffer): PathKey {
    const { length } = this.#root;
    const isDocument = name.length > length && this.#root.compare(name, 0, length) === 0;
    return isDocument ? pathKey(name.toString('utf8', length)) : '';
  }

  #segmentsOf(page: number): Promise<readonly Segment[]> {
    const entry = this.#archive.pages[page];
    return entry ? this.#fetch(() => this.#archive.segmentsOf(entry)) : Promise.resolve([]);
  }

  #leafOf(segment: Segment): Promise<Leaf> {
    return this.#fetch(() => this.#archive.leaf(segment));
  }

  async #fetch<T>(read: () => Promise<T>): Promise<T> {
    if (this.#fetches >= fetchesMax) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#fetches += 1;
    try {
      return await read();
    } catch (error) {
      throw this.#errorOf(error);
    } finally {
      this.#fetches -= 1;
      this.#waiting.shift()?.();
    }
  }
}

/** Whether all keys with first ≤ key < end lie below one document with that many segments, which is not among them. */
const isBelowOne = (first: PathKey, end: PathKey, segments: number): boolean =>
  depth(first) > segments && end <= below(keyPrefix(first, segments)).to;

const inOrder = <T>(items: T[], backwards: boolean): T[] => (backwards ? items.reverse() : items);

/** The index of the last key that is at most `key`; -1 if there is none. */
const lastAtMost = (keys: readonly PathKey[], key: PathKey): number => {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') <= key) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/** Decoded when its contents are needed; until then it holds its leaf. */
class ArchivedDocument implements StoredDocument {
  readonly key: PathKey;
  readonly createTime: number;
  readonly updateTime: number;
  #leaf: Leaf | undefined;
  readonly #slot: number;
  #bytes: Uint8Array | undefined;

  constructor(key: PathKey, leaf: Leaf, slot: number) {
    this.key = key;
    this.createTime = microsOf(leaf.created(slot));
    this.updateTime = microsOf(leaf.updated(slot));
    this.#leaf = leaf;
    this.#slot = slot;
  }

  get path(): string {
    return keyPath(this.key);
  }

  get bytes(): Uint8Array {
    this.#bytes ??= this.#leaf?.content(this.#slot) ?? new Uint8Array();
    this.#leaf = undefined;
    return this.#bytes;
  }
}

const microsOf = ({ seconds, nanos }: { readonly seconds: number; readonly nanos: number }): number =>
  seconds * 1_000_000 + Math.floor(nanos / 1000);
