/** What has happened to documents up to a moment, in the order of their names. */
import { compareNames, compareRanges, type Leaf, recordKind } from '../../archive/index.ts';
import { microsOf } from '../model/micro-time.ts';
import type { BatchRecord } from '../model/record.ts';
import { ByteArena, type Piece } from './byte-arena.ts';

/** How a document is at the moment asked for, if anything happened to it since the base. */
export interface DocumentChange {
  readonly name: Buffer;
  /** The encoded document; undefined if it is gone. */
  readonly content: Buffer | undefined;
}

export interface BatchLeaf {
  readonly batch: Pick<BatchRecord, 'id'>;
  readonly leaf: Leaf;
}

export interface ChangesWanted {
  /** The batches' leaves in the order of time, from the first on: asked for once for each range of names. */
  readonly read: () => AsyncIterable<BatchLeaf>;
  /** What is not later is in the base. */
  readonly after: string;
  readonly upTo: string;
  /** Memory for names and contents. */
  readonly bytesMax?: number;
}

/** Enough for most, and little enough for any. */
const bytesMax = 64 << 20;
/** What an entry takes beside its name, which it holds twice, and its content: measured. */
const entryBytes = 500;
/** Of the memory, what is left filled when it is full: the rest goes to the names that come first. */
export const keptShare = 0.75;
/** Of the memory, what may lie idle before it is put in order. */
const idleShare = 1 / 8;
const slabBytesMax = 4 << 20;
const sampleMax = 2_000;

/**
 * The last change of every document that was changed, ascending. What does not fit into memory is left to further passes over
 * the batches, each of which takes up the names where the one before has stopped. What is given out is there until the next is asked for.
 */
export async function* latestChanges(wanted: ChangesWanted): AsyncGenerator<DocumentChange, void, undefined> {
  const { bytesMax: most = bytesMax } = wanted;
  const slabs = new ByteArena(Math.min(slabBytesMax, Math.ceil(most / 16)));
  for (let from: Buffer | undefined, isFirst = true; isFirst || from; isFirst = false) {
    const range = new Gathering(from, most, slabs);
    const [after, upTo] = [microsOf(wanted.after), microsOf(wanted.upTo)];
    let order = 0;
    let last: string | undefined;
    for await (const { batch, leaf } of wanted.read()) {
      if (batch.id !== last) order += 1;
      last = batch.id;
      for (let slot = 0; slot < leaf.count; slot++) {
        const { seconds, nanos } = leaf.updated(slot);
        const at = seconds * 1_000_000 + Math.floor(nanos / 1_000);
        if (at > after && at <= upTo) range.add(leaf, slot, { order, at });
      }
    }
    yield* range.inOrder();
    from = range.end;
    slabs.clear();
  }
}

/** A later batch knows better; within one, what happened later does. */
interface Rank {
  readonly order: number;
  readonly at: number;
}

/** Its piece is the name, and the content behind it. */
interface Entry extends Piece, Rank {
  readonly nameLength: number;
  readonly isGone: boolean;
}

/** The changes of the names from one on, of as many as there is memory for. */
class Gathering {
  readonly #from: Buffer | undefined;
  readonly #bytesMax: number;
  readonly #slabs: ByteArena;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  /** The first name that there was no room for. */
  end: Buffer | undefined;

  constructor(from: Buffer | undefined, most: number, slabs: ByteArena) {
    this.#from = from;
    this.#bytesMax = most;
    this.#slabs = slabs;
  }

  add(leaf: Leaf, slot: number, rank: Rank): void {
    const name = leaf.name(slot);
    if (this.#from && compareNames(name, this.#from) < 0) return;
    if (this.end && compareNames(name, this.end) >= 0) return;
    const key = name.toString('latin1');
    const known = this.#entries.get(key);
    if (known && isLater(known, rank)) return;
    const isGone = leaf.kind(slot) !== recordKind.document;
    const piece = isGone ? this.#slabs.put(name) : this.#slabs.put(name, leaf.content(slot));
    const entry: Entry = { ...piece, ...rank, nameLength: name.length, isGone };
    if (known) this.#drop(known);
    this.#entries.set(key, entry);
    this.#bytes += sizeOf(entry);
    if (this.#bytes > this.#bytesMax) this.#cut();
    if (this.#slabs.idleBytes > this.#bytesMax * idleShare + this.#slabs.slabBytes) this.#slabs.pack(this.#entries.values());
  }

  /** Where to cut is told by a few of very many: putting all of them in order takes as long as a pass. */
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
    this.end = end;
    for (const [key, entry] of this.#entries) {
      if (compareNames(nameOf(entry), end) < 0) continue;
      this.#entries.delete(key);
      this.#drop(entry);
    }
  }

  #drop(entry: Entry): void {
    this.#bytes -= sizeOf(entry);
    this.#slabs.drop(entry);
  }

  #sorted(): readonly Entry[] {
    return [...this.#entries.values()].sort(byName);
  }

  *inOrder(): Generator<DocumentChange, void, undefined> {
    for (const entry of this.#sorted())
      yield {
        name: nameOf(entry),
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
