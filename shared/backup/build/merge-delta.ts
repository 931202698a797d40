/** Joins a range of a base with the changes since, and writes the result into a part. Nothing is read from the source. */
import { ChangeTally } from '../../anomaly/index.ts';
import {
  compareNames,
  DocumentSkim,
  type Leaf,
  type LeafLocation,
  type PackedLeaf,
  recordKind,
  type Segment,
  unpackLeaf,
} from '../../archive/index.ts';
import { countBytes, type ErasureFilter } from '../../firestore/index.ts';
import type { PartWriter } from '../../stored-backup/index.ts';
import type { StoredChange } from './delta.ts';
import { isPlain, leafKey, type OriginRange, type OriginSegment, originSegments } from './origin-segments.ts';

interface MergeOptions extends OriginRange {
  readonly part: PartWriter;
  /** The same changes, to be joined. */
  readonly joined: AsyncGenerator<StoredChange, void, undefined>;
  /** What is erased, if leaves are copied. */
  readonly erasures: ErasureFilter | undefined;
  /** The moment of the backup that changes are counted since. */
  readonly comparedWith: ConstructorParameters<typeof ChangeTally>[0];
  /** Runs between segments, with backpressure. True to stop. */
  readonly pause: () => Promise<boolean>;
}

/** Collections are listed with the part. */
const collectionBytesMax = 64 << 10;

export class DeltaMerge {
  /** Documents of the range, as in the new backup. */
  documents = 0;
  /** How many more than in the base. */
  difference = 0;
  /** How many bytes more than in the base, as the source encodes them. */
  bytes = 0;
  /** How many documents more than in the base, by collection id. */
  readonly collections = new Map<string, number>();
  /** Of the leaves that were copied. */
  copiedBytes = 0;
  readonly tally: ChangeTally;
  readonly #options: MergeOptions;
  readonly #marks = new DocumentSkim();
  /** Where the leaves are that were copied. */
  readonly #copies = new Map<string, LeafLocation>();
  /** Leaves that were to be copied, but lie among those that were, or have documents that are erased. */
  readonly #rewritten = new Set<string>();
  #copiedUpTo: Buffer | undefined;
  /** The leaves that were unpacked last: runs of several alternate, those of a base that was built above all. */
  readonly #whole = new Map<string, Leaf>();
  #collectionBytes = 0;
  #change: StoredChange | undefined;
  #last: Buffer | undefined;
  /** The last segment, if its names were not looked at. */
  #unread: Segment | undefined;

  constructor(options: MergeOptions) {
    this.#options = options;
    this.tally = new ChangeTally(options.comparedWith);
  }

  /** True if the range is exhausted. */
  async run(): Promise<boolean> {
    const segments = originSegments(this.#options);
    try {
      await this.#nextChange();
      for await (const one of segments) {
        if (!(await this.#addUpTo(one.segment.first))) return false;
        if (one.fetched) await this.#merge(one);
        else this.#keepWhole(one.segment);
        if (await this.#isStopped()) return false;
      }
      return await this.#addUpTo(undefined);
    } finally {
      await segments.return();
      await this.#options.joined.return();
      await this.#options.changes.return();
    }
  }

  /** The full name of the last document that was dealt with. */
  async lastName(): Promise<string | undefined> {
    const segment = this.#unread;
    if (!segment) return this.#last?.toString();
    const leaf = await this.#options.archive.leaf(segment, 'keys');
    return leaf.name(segment.start + segment.count - 1).toString();
  }

  async #isStopped(): Promise<boolean> {
    return (await this.#options.pause()) || this.#collectionBytes >= collectionBytesMax;
  }

  async #nextChange(): Promise<void> {
    const next = await this.#options.joined.next();
    this.#change = next.done ? undefined : next.value;
  }

  /** New documents before a name. False if it was stopped between them. */
  async #addUpTo(name: Buffer | undefined): Promise<boolean> {
    for (let n = 1; this.#change && (!name || compareNames(nameOf(this.#change), name) < 0); n++) {
      this.#add(this.#change);
      await this.#nextChange();
      if (n % pauseEvery === 0 && (await this.#isStopped())) return false;
    }
    return true;
  }

  #keepWhole(segment: Segment): void {
    this.#options.part.keepSegment(segment);
    this.documents += segment.count;
    this.#unread = segment;
  }

  async #merge(one: OriginSegment): Promise<void> {
    const { segment, fetched } = one;
    const leaf = fetched?.leaf;
    if (!leaf) throw new Error('the leaf of the segment was not fetched');
    const { from, to } = this.#options.range;
    const last = segment.start + segment.count;
    const end = to ? leaf.lowerBound(to, segment.start, last) : last;
    let slot = from ? leaf.lowerBound(from, segment.start, end) : segment.start;
    while (slot < end) {
      const name = this.#change && nameOf(this.#change);
      const bound = name ? leaf.lowerBound(name, slot, end) : end;
      if (bound > slot) this.#keep(one, leaf, slot, bound);
      else if (this.#change && name && compareNames(leaf.name(slot), name) === 0) {
        if (leaf.kind(slot) === recordKind.document) this.#replace(this.#change, leaf, slot);
        else this.#add(this.#change);
        await this.#nextChange();
      } else if (this.#change) {
        this.#add(this.#change);
        await this.#nextChange();
        continue;
      }
      slot = Math.max(bound, slot + 1);
    }
    if (end > segment.start) this.#advance(leaf.name(end - 1));
  }

  #advance(name: Buffer): void {
    this.#last = Buffer.from(name);
    this.#unread = undefined;
  }

  /** Keeps the documents of some slots, which do not change. */
  #keep(one: OriginSegment, leaf: Leaf, from: number, to: number): void {
    if (isPlain(this.#options.archive, one.segment)) this.#keepRun(one, leaf, from, to);
    else
      for (let slot = from; slot < to; slot++)
        if (leaf.kind(slot) === recordKind.document) this.#keepRun(one, leaf, slot, slot + 1);
  }

  #keepRun(one: OriginSegment, leaf: Leaf, from: number, to: number): void {
    const { part } = this.#options;
    const location = this.#locate(one, leaf);
    this.documents += to - from;
    if (location) part.keepSegment({ ...location, start: from, count: to - from, first: Buffer.from(leaf.name(from)) });
    if (location && one.sampledFor === undefined) return;
    const whole = this.#wholeLeaf(one);
    for (let slot = from; slot < to; slot++) {
      const content = whole.content(slot);
      if (!location) part.document(content);
      if (one.sampledFor !== undefined) {
        this.#marks.read(content, 0, content.length);
        this.tally.sample(content, this.#marks, one.sampledFor);
      }
    }
  }

  /** Where the records of the leaf are in the new backup; undefined if they are written anew. */
  #locate({ segment, treatment, fetched }: OriginSegment, leaf: Leaf): LeafLocation | undefined {
    if (treatment === 'keep') return segment;
    const key = leafKey(segment);
    const known = this.#copies.get(key);
    if (known || treatment === 'write' || this.#rewritten.has(key)) return known;
    if (this.#copiedUpTo && compareNames(leaf.name(0), this.#copiedUpTo) <= 0) {
      this.#rewritten.add(key);
      return undefined;
    }
    if (!fetched?.packed) throw new Error('the bodies of the leaf were not fetched');
    if (this.#hasErased(fetched.packed)) {
      this.#rewritten.add(key);
      return undefined;
    }
    const location = this.#options.part.copyLeaf(fetched.packed);
    this.copiedBytes += location.keysLength + location.bodiesLength;
    this.#copies.set(key, location);
    this.#copiedUpTo = Buffer.from(leaf.name(leaf.count - 1));
    return location;
  }

  /** Also among the records that the base no longer has, which a copy would keep. */
  #hasErased(packed: PackedLeaf): boolean {
    const { erasures } = this.#options;
    if (!erasures) return false;
    let leaf = unpackLeaf(packed, 'keys');
    if (!erasures.apply(leaf)) {
      leaf = unpackLeaf(packed);
      erasures.apply(leaf);
    }
    for (let slot = 0; slot < leaf.count; slot++) if (leaf.kind(slot) === recordKind.erased) return true;
    return false;
  }

  #wholeLeaf({ segment, fetched }: OriginSegment): Leaf {
    const key = leafKey(segment);
    const known = this.#whole.get(key);
    if (known) return known;
    if (!fetched?.packed) throw new Error('the bodies of the leaf were not fetched');
    const leaf = unpackLeaf(fetched.packed);
    this.#whole.set(key, leaf);
    for (const oldest of this.#whole.keys()) if (this.#whole.size > wholeMax) this.#whole.delete(oldest);
    return leaf;
  }

  /** A change of a document that the base does not have. */
  #add(change: StoredChange): void {
    const name = nameOf(change);
    this.#advance(name);
    if (isGone(change)) return;
    this.#options.part.keep(change.segment, change.slot, name);
    this.bytes += this.#observe(change);
    this.documents += 1;
    this.#count(name, 1);
  }

  /** A change of a document of the base. */
  #replace(change: StoredChange, leaf: Leaf, slot: number): void {
    const { part, copies } = this.#options;
    const name = nameOf(change);
    this.#advance(name);
    this.bytes -= leaf.contentBytes(slot);
    this.tally.forget(name);
    if (!isGone(change)) {
      part.keep(change.segment, change.slot, name);
      this.bytes += this.#observe(change);
      this.documents += 1;
      return;
    }
    // A full backup has no tombstones.
    if (!copies) part.keepTombstone(change.segment, change.slot, name);
    this.#count(name, -1);
  }

  #observe({ leaf, slot }: StoredChange): number {
    const content = leaf.content(slot);
    this.#marks.read(content, 0, content.length);
    this.tally.observe(content, 0, content.length, this.#marks);
    return content.length;
  }

  #count(name: Buffer, more: 1 | -1): void {
    const end = name.lastIndexOf(slash);
    const id = name.subarray(name.lastIndexOf(slash, end - 1) + 1, end).toString();
    if (!this.collections.has(id)) this.#collectionBytes += countBytes(id);
    this.collections.set(id, (this.collections.get(id) ?? 0) + more);
    this.difference += more;
  }
}

/** Each takes less than a few MB. */
const wholeMax = 8;

const slash = '/';
const pauseEvery = 1_000;
const nameOf = ({ leaf, slot }: StoredChange): Buffer => leaf.name(slot);
const isGone = ({ leaf, slot }: StoredChange): boolean => leaf.kind(slot) !== recordKind.document;
