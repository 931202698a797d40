/** The latest change of each document up to a moment, in name order. */
import { compareNames, compareRanges, type Leaf, recordKind } from '../../archive/index.ts';
import type { DocumentChange } from '../../stored-backup/index.ts';
import { type BatchLeaf, changeTimeOf } from '../batch/change-batch-reader.ts';
import { microsOf } from '../model/micro-time.ts';
import { ByteArena, type Piece } from './byte-arena.ts';

interface LatestChangesOptions {
  /** All leaves of the batches in order of time; called once per range of names. */
  readonly read: () => AsyncIterable<BatchLeaf>;
  /** Changes up to here are in the base. */
  readonly after: string;
  readonly upTo: string;
  /** The first name, inclusive; all names if absent. */
  readonly from?: Uint8Array | undefined;
  /** Memory for names and contents. */
  readonly bytesMax?: number;
}

/** Enough for most projects, and little enough for any worker. */
const bytesMax = 64 << 20;
/** Overhead of an entry beside its name (held twice) and content, measured. */
const entryBytes = 500;
/** The share of memory kept when it is full; the names at the end are left to a further pass. */
const keptShare = 0.75;
/** The share of memory that may be unused before it is compacted. */
const idleShare = 1 / 8;
const slabBytesMax = 4 << 20;
const sampleMax = 2_000;

/**
 * The latest change of every changed document, ascending by name. Names that do not fit into memory are left to further passes over
 * the batches. A yielded change is valid until the next one is requested.
 */
export async function* latestChanges(options: LatestChangesOptions): AsyncGenerator<DocumentChange, void, undefined> {
  const { bytesMax: most = bytesMax } = options;
  const arena = new ByteArena(Math.min(slabBytesMax, Math.ceil(most / 16)));
  const [after, upTo] = [microsOf(options.after), microsOf(options.upTo)];
  for (let { from } = options, isFirst = true; isFirst || from; isFirst = false) {
    const range = new NameRange(from, most, arena);
    let order = 0;
    let last: string | undefined;
    for await (const { batch, leaf } of options.read()) {
      const whole = batch.partOf ?? batch.id;
      if (whole !== last) order += 1;
      last = whole;
      for (let slot = 0; slot < leaf.count; slot++) {
        const at = changeTimeOf({ batch, leaf }, slot);
        if (at > after && at <= upTo) range.add(leaf, slot, { order, at });
      }
    }
    yield* range.inOrder();
    from = range.rest;
    arena.clear();
  }
}

/** A later batch overrides an earlier one; within a batch and what completes it, a later change does. */
interface Rank {
  readonly order: number;
  readonly at: number;
}

/** Its piece is the name followed by the content. */
interface Entry extends Piece, Rank {
  readonly nameLength: number;
  readonly isGone: boolean;
}

/** The changes of a range of names, as many as fit into memory. */
class NameRange {
  readonly #from: Uint8Array | undefined;
  readonly #bytesMax: number;
  readonly #arena: ByteArena;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #end: Uint8Array | undefined;
  /** The first name that did not fit. */
  rest: Buffer | undefined;

  constructor(from: Uint8Array | undefined, most: number, arena: ByteArena) {
    this.#from = from;
    this.#bytesMax = most;
    this.#arena = arena;
  }

  add(leaf: Leaf, slot: number, rank: Rank): void {
    const name = leaf.name(slot);
    if (this.#from && compareNames(name, this.#from) < 0) return;
    if (this.#end && compareNames(name, this.#end) >= 0) return;
    const key = name.toString('latin1');
    const known = this.#entries.get(key);
    if (known && isLater(known, rank)) return;
    const isGone = leaf.kind(slot) !== recordKind.document;
    const piece = isGone ? this.#arena.put(name) : this.#arena.put(name, leaf.content(slot));
    const entry: Entry = { ...piece, ...rank, nameLength: name.length, isGone };
    if (known) this.#drop(known);
    this.#entries.set(key, entry);
    this.#bytes += sizeOf(entry);
    if (this.#bytes > this.#bytesMax) this.#cut();
    if (this.#arena.idleBytes > this.#bytesMax * idleShare + this.#arena.slabBytes) this.#arena.pack(this.#entries.values());
  }

  /** Estimates the cut from a sample: sorting all entries takes as long as a pass. */
  #cut(): void {
    const step = Math.ceil(this.#entries.size / sampleMax);
    const sample = [...this.#entries.values()].filter((_, n) => n % step === 0).sort(byName);
    const total = sample.reduce((sum, entry) => sum + sizeOf(entry), 0);
    let bytes = 0;
    const first = sample.find((entry, at) => {
      bytes += sizeOf(entry);
      return at > 0 && bytes > total * keptShare;
    });
    if (!first) return;
    const end = Buffer.from(nameOf(first));
    this.#end = this.rest = end;
    for (const [key, entry] of this.#entries) {
      if (compareNames(nameOf(entry), end) < 0) continue;
      this.#entries.delete(key);
      this.#drop(entry);
    }
  }

  #drop(entry: Entry): void {
    this.#bytes -= sizeOf(entry);
    this.#arena.drop(entry);
  }

  #sorted(): readonly Entry[] {
    return [...this.#entries.values()].sort(byName);
  }

  *inOrder(): Generator<DocumentChange, void, undefined> {
    for (const entry of this.#sorted())
      yield {
        name: nameOf(entry),
        at: entry.at,
        content: entry.isGone ? undefined : entry.slab.bytes.subarray(contentStart(entry), entry.end),
      };
  }
}

const sizeOf = ({ start, end, nameLength }: Entry): number => entryBytes + nameLength + end - start;
const contentStart = ({ start, nameLength }: Entry): number => start + nameLength;
const nameOf = (entry: Entry): Buffer => entry.slab.bytes.subarray(entry.start, contentStart(entry));
const byName = (a: Entry, b: Entry): number =>
  compareRanges(a.slab.bytes, a.start, contentStart(a), b.slab.bytes, b.start, contentStart(b));

const isLater = (one: Rank, other: Rank): boolean => one.order > other.order || (one.order === other.order && one.at > other.at);
