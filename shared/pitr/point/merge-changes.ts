/** Merges a base with the changes since into one index. Unchanged records stay in the base's objects. */
import { type Archive, compareNames, recordKind, type Segment, segmentsInRanges } from '../../archive/index.ts';
import type { DocumentChange } from './latest-changes.ts';

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
  changes: AsyncIterator<DocumentChange>,
  sink: PointSink,
): Promise<PointTally> => {
  const merge = new Merge(base, changes, sink);
  await merge.run();
  return merge.tally;
};

class Merge {
  readonly #base: Archive;
  readonly #changes: AsyncIterator<DocumentChange>;
  readonly #sink: PointSink;
  /** Documents sort after it, users before. */
  readonly #root: Buffer;
  #change: DocumentChange | undefined;
  readonly tally: PointTally = { collections: new Map(), added: 0, removed: 0, addedBytes: 0 };

  constructor(base: Archive, changes: AsyncIterator<DocumentChange>, sink: PointSink) {
    this.#base = base;
    this.#changes = changes;
    this.#sink = sink;
    this.#root = Buffer.from(base.documentsRoot.slice(0, -1));
  }

  async run(): Promise<void> {
    await this.#step();
    let segment: Segment | undefined;
    for await (const next of segmentsInRanges(this.#base, [{ from: this.#root }])) {
      if (segment) await this.#segment(segment, next.first);
      segment = next;
    }
    if (segment) await this.#segment(segment, undefined);
    await this.#addUpTo(undefined);
  }

  async #segment(segment: Segment, next: Buffer | undefined): Promise<void> {
    await this.#addUpTo(segment.first);
    const isTouched = this.#change && (!next || compareNames(this.#change.name, next) < 0);
    if (!isTouched && this.#isPlain(segment)) this.#sink.keepSegment(segment);
    else await this.#records(segment);
    await this.#sink.drain();
  }

  /** Whether it holds only documents: tombstones are only in a backup's own chunks. */
  #isPlain({ first, backup }: Segment): boolean {
    const { counts, backup: own } = this.#base.manifest;
    return compareNames(first, this.#root) > 0 && (counts.tombstones === 0 || backup !== own);
  }

  async #records(segment: Segment): Promise<void> {
    const leaf = await this.#base.leaf(segment, 'keys');
    for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
      const name = leaf.name(slot);
      await this.#addUpTo(name);
      if (leaf.kind(slot) !== recordKind.document) continue;
      const change = this.#change;
      if (!change || compareNames(change.name, name) !== 0) this.#sink.keep(segment, slot, name);
      else {
        if (change.content) this.#sink.document(change.content);
        else this.#count(name, -1);
        await this.#step();
      }
    }
  }

  /** Adds the documents before the name that are not in the base. */
  async #addUpTo(name: Uint8Array | undefined): Promise<void> {
    for (let change = this.#change; change; change = this.#change) {
      if (name && compareNames(change.name, name) >= 0) return;
      if (change.content) {
        this.#sink.document(change.content);
        this.#count(change.name, 1);
        this.tally.addedBytes += change.content.length;
        await this.#sink.drain();
      }
      await this.#step();
    }
  }

  async #step(): Promise<void> {
    const next = await this.#changes.next();
    this.#change = next.done ? undefined : next.value;
  }

  #count(name: Buffer, more: 1 | -1): void {
    const { collections } = this.tally;
    const id = collectionIdIn(name);
    collections.set(id, (collections.get(id) ?? 0) + more);
    if (more > 0) this.tally.added += 1;
    else this.tally.removed += 1;
  }
}

/** The collection id of a document by its full name. */
const collectionIdIn = (name: Buffer): string => {
  const end = name.lastIndexOf('/');
  return name.subarray(name.lastIndexOf('/', end - 1) + 1, end).toString();
};
