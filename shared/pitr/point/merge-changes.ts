/** Merges a base with the changes since into one index. Unchanged records stay in the base's objects. */
import { type Archive, compareNames, type Leaf, recordKind, type Segment, segmentsInRanges } from '../../archive/index.ts';
import { type DocumentChange, type JoinSide, mergeJoin } from '../../stored-backup/index.ts';

/** Receives the records in name order. */
export interface PointSink {
  keepSegment(segment: Segment): void;
  keep(segment: Segment, slot: number, name: Uint8Array): void;
  document(bytes: Uint8Array): void;
  /** Writes what is buffered, with backpressure. */
  drain(): Promise<void>;
}

/** The difference from the base. */
export interface PointTally {
  /** Documents by collection id. */
  readonly collections: Map<string, number>;
  added: number;
  removed: number;
  /** Bytes of the added documents. */
  addedBytes: number;
}

/**
 * Segments without a change are kept whole and their leaves are not read; of the others only the keys are read. Users and the
 * tombstones of an incremental base are left out.
 */
export const mergeChanges = async (
  base: Archive,
  changes: AsyncIterator<Pick<DocumentChange, 'name' | 'content'>>,
  sink: PointSink,
): Promise<PointTally> => {
  const tally: PointTally = { collections: new Map(), added: 0, removed: 0, addedBytes: 0 };
  const [left, right] = [new ChangeCursor(changes), new BaseCursor(base)];
  await left.load();
  await right.load();
  // A segment comes after the changes before its first name.
  const compare = (change: Buffer, name: Buffer): number => compareNames(change, name) || (right.isWhole ? 1 : 0);
  await mergeJoin({ left, right, compare }, (order, name) => {
    if (order > 0) return right.keep(sink, left.name);
    if (left.content) sink.document(left.content);
    if (order === 0 && !left.content) count(tally, name, -1);
    if (order === 0 || !left.content) return true;
    count(tally, name, 1);
    tally.addedBytes += left.content.length;
    return sink.drain().then(() => true);
  });
  return tally;
};

class ChangeCursor implements JoinSide<Buffer> {
  name: Buffer | undefined;
  /** The encoded document; undefined if it is deleted. */
  content: Buffer | undefined;
  readonly #changes: AsyncIterator<Pick<DocumentChange, 'name' | 'content'>>;

  constructor(changes: AsyncIterator<Pick<DocumentChange, 'name' | 'content'>>) {
    this.#changes = changes;
  }

  step(): boolean {
    return false;
  }

  async load(): Promise<void> {
    const next = await this.#changes.next();
    this.name = next.done ? undefined : next.value.name;
    this.content = next.done ? undefined : next.value.content;
  }
}

/** The segments of a base, under their first names. The documents of a segment follow once it is opened. */
class BaseCursor implements JoinSide<Buffer> {
  name: Buffer | undefined;
  readonly #base: Archive;
  /** Documents sort after it, users before. */
  readonly #root: Buffer;
  readonly #segments: AsyncIterator<Segment>;
  #segment: Segment | undefined;
  #next: Segment | undefined;
  #leaf: Leaf | undefined;
  #slot = 0;

  constructor(base: Archive) {
    this.#base = base;
    this.#root = Buffer.from(base.documentsRoot.slice(0, -1));
    this.#segments = segmentsInRanges(base, [{ from: this.#root }]);
  }

  /** Whether it is at a segment, rather than at a document of one. */
  get isWhole(): boolean {
    return this.#leaf === undefined;
  }

  step(): boolean {
    const [leaf, segment] = [this.#leaf, this.#segment];
    if (!leaf || !segment) return false;
    while (++this.#slot < segment.start + segment.count)
      if (leaf.kind(this.#slot) === recordKind.document) {
        this.name = leaf.name(this.#slot);
        return true;
      }
    return false;
  }

  async load(): Promise<void> {
    this.#leaf = undefined;
    this.#segment = this.#next ?? (await this.#pull());
    this.#next = this.#segment && (await this.#pull());
    this.name = this.#segment?.first;
  }

  /** Keeps the current document or segment. A segment that the change falls into is opened instead. */
  keep(sink: PointSink, change: Buffer | undefined): true | Promise<true> {
    if (!this.#leaf) return this.#keepSegment(sink, change);
    if (this.#segment && this.name) sink.keep(this.#segment, this.#slot, this.name);
    return true;
  }

  async #keepSegment(sink: PointSink, change: Buffer | undefined): Promise<true> {
    const segment = this.#segment;
    if (!segment) throw new RangeError('the cursor is not at a segment');
    const isTouched = change && (!this.#next || compareNames(change, this.#next.first) < 0);
    if (!isTouched && this.#isPlain(segment)) sink.keepSegment(segment);
    else {
      this.#leaf = await this.#base.leaf(segment, 'keys');
      this.#slot = segment.start - 1;
    }
    await sink.drain();
    return true;
  }

  /** Whether it holds only documents: tombstones are only in a backup's own chunks. */
  #isPlain({ first, backup }: Segment): boolean {
    const { counts, backup: own } = this.#base.manifest;
    return compareNames(first, this.#root) > 0 && (counts.tombstones === 0 || backup !== own);
  }

  async #pull(): Promise<Segment | undefined> {
    const next = await this.#segments.next();
    return next.done ? undefined : next.value;
  }
}

const count = (tally: PointTally, name: Buffer, more: 1 | -1): void => {
  const id = collectionIdIn(name);
  tally.collections.set(id, (tally.collections.get(id) ?? 0) + more);
  if (more > 0) tally.added += 1;
  else tally.removed += 1;
};

/** The collection id of a document by its full name. */
const collectionIdIn = (name: Buffer): string => {
  const end = name.lastIndexOf('/');
  return name.subarray(name.lastIndexOf('/', end - 1) + 1, end).toString();
};
