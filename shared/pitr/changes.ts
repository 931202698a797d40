/** What has happened to documents up to a moment, in the order of their names. */
import { compareNames, type Leaf, recordKind } from '../archive/index.ts';
import { microsOf } from './moment.ts';
import type { BatchRecord } from './record.ts';

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

const bytesMax = 64 << 20;
/** What an entry takes beside its name, which it holds twice, and its content. */
const entryBytes = 200;
/** Of the memory, what is left filled when it is full: the rest goes to the names that come first. */
const keptShare = 0.75;

/**
 * The last change of every document that was changed, ascending. What does not fit into memory is left to further passes over
 * the batches, each of which takes up the names where the one before has stopped.
 */
export async function* changesOf(wanted: ChangesWanted): AsyncGenerator<DocumentChange, void, undefined> {
  for (let from: Buffer | undefined, isFirst = true; isFirst || from; isFirst = false) {
    const range = new Gathering(from, wanted.bytesMax ?? bytesMax);
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
  }
}

/** A later batch knows better; within one, what happened later does. */
interface Rank {
  readonly order: number;
  readonly at: number;
}

interface Entry extends DocumentChange {
  readonly rank: Rank;
}

/** The changes of the names from one on, of as many as there is memory for. */
class Gathering {
  readonly #from: Buffer | undefined;
  readonly #bytesMax: number;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  /** The first name that there was no room for. */
  end: Buffer | undefined;

  constructor(from: Buffer | undefined, most: number) {
    this.#from = from;
    this.#bytesMax = most;
  }

  add(leaf: Leaf, slot: number, rank: Rank): void {
    const name = leaf.name(slot);
    if (this.#from && compareNames(name, this.#from) < 0) return;
    if (this.end && compareNames(name, this.end) >= 0) return;
    const key = name.toString('latin1');
    const known = this.#entries.get(key);
    if (known && isLater(known.rank, rank)) return;
    // The leaf is not held onto.
    const content = leaf.kind(slot) === recordKind.document ? Buffer.from(leaf.content(slot)) : undefined;
    const entry = { name: known?.name ?? Buffer.from(name), content, rank };
    this.#entries.set(key, entry);
    this.#bytes += sizeOf(entry) - (known ? sizeOf(known) : 0);
    if (this.#bytes > this.#bytesMax) this.#cut();
  }

  #cut(): void {
    let bytes = 0;
    for (const [at, entry] of this.inOrder().entries()) {
      bytes += sizeOf(entry);
      if (at === 0 || bytes <= this.#bytesMax * keptShare) continue;
      this.end ??= entry.name;
      if (compareNames(entry.name, this.end) < 0) this.end = entry.name;
      this.#entries.delete(entry.name.toString('latin1'));
      this.#bytes -= sizeOf(entry);
    }
  }

  inOrder(): readonly Entry[] {
    return [...this.#entries.values()].sort((a, b) => compareNames(a.name, b.name));
  }
}

const sizeOf = ({ name, content }: DocumentChange): number => entryBytes + 2 * name.length + (content?.length ?? 0);

const isLater = (one: Rank, other: Rank): boolean => one.order > other.order || (one.order === other.order && one.at > other.at);
