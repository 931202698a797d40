/** Reads documents of the source as of a moment and compares them, in the order of names, with what was captured up to it. */
import { compareNames } from '../../archive/index.ts';
import {
  type DocumentBatch,
  type DocumentRange,
  type FirestoreDatabase,
  justAfter,
  readRange,
  sameFields,
} from '../../firestore/index.ts';
import { type JoinSide, mergeJoin } from '../../stored-backup/index.ts';
import type { CapturedCursor } from './captured-cursor.ts';
import { documentTimes } from './document-times.ts';

interface SliceOptions {
  readonly source: FirestoreDatabase;
  /** What was captured, from the same name on. */
  readonly captured: CapturedCursor;
  readonly moment: string;
  /** The first name, inclusive; undefined: from the first one. */
  readonly from: string | undefined;
  /** At most so many documents of the source. */
  readonly limit: number;
  /** Ends the slice before its time is up. */
  readonly isOver: () => boolean;
  /** Counts the billed reads, also of a run that fails. */
  readonly spent: { reads: number };
  readonly signal: AbortSignal;
}

export interface ComparedSlice {
  /** Its end, exclusive; undefined: there is no name after it. */
  readonly to: string | undefined;
  readonly documents: number;
  /** Paths whose documents differ, as far as a stream can tell: one that ends early looks like missing documents. */
  readonly suspects: readonly Suspect[];
}

export interface Suspect {
  readonly path: string;
  /** The encoded document that was captured. */
  readonly captured: Buffer | undefined;
}

/** Documents between two looks at the clock. */
const lookEvery = 1_000;
/** So many suspects end a slice: their contents are held in memory. */
const suspectsMax = 2_000;
const suspectBytesMax = 32 << 20;

export const compareSlice = async (options: SliceOptions): Promise<ComparedSlice> => {
  const { source, captured: right, moment, from, limit, isOver, spent, signal } = options;
  const range = from === undefined ? {} : { from };
  const reader = readRange(source, { range, readTime: moment, limit, signal });
  const left = new BatchCursor(reader, Buffer.byteLength(source.root) + 1);
  const suspects: Suspect[] = [];
  let bytes = 0;
  let last: string | undefined;
  try {
    await left.load();
    await right.load();
    const isWhole = await mergeJoin({ left, right, compare: compareNames }, (order, name, n) => {
      // What follows the last document of a limited stream is compared by the next slice.
      if (order > 0 && left.name === undefined && reader.documents >= limit) return false;
      if (last !== undefined && (suspects.length >= suspectsMax || bytes >= suspectBytesMax)) return false;
      if (n % lookEvery === 0 && isOver()) return false;
      if (order !== 0 || !isSame(left.document(), right.document())) {
        const known = order < 0 ? undefined : Buffer.from(right.document());
        suspects.push({ path: name.toString(), captured: known });
        bytes += name.length + (known?.length ?? 0);
      }
      last = name.toString();
      return true;
    });
    const isEnd = isWhole && reader.documents < limit;
    return { to: isEnd || last === undefined ? undefined : justAfter(last), documents: left.visited, suspects };
  } finally {
    spent.reads += reader.reads;
    await left.close();
    await right.close();
  }
};

/** Whether two encoded documents are one version with the same fields; the order of map entries may differ. */
export const isSame = (one: Uint8Array, other: Uint8Array): boolean => {
  if (compareNames(one, other) === 0) return true;
  const [a, b] = [documentTimes(one), documentTimes(other)];
  return a.updated === b.updated && a.created === b.created && sameFields(one, other);
};

/** The documents of a range, under their paths. */
class BatchCursor implements JoinSide<Buffer> {
  name: Buffer | undefined;
  /** Documents passed. */
  visited = 0;
  readonly #batches: AsyncIterator<DocumentBatch>;
  readonly #rootBytes: number;
  #batch: DocumentBatch | undefined;
  #index = 0;

  constructor(documents: DocumentRange, rootBytes: number) {
    this.#batches = documents[Symbol.asyncIterator]();
    this.#rootBytes = rootBytes;
  }

  step(): boolean {
    this.visited += 1;
    this.#index += 1;
    return this.#show();
  }

  async load(): Promise<void> {
    do {
      const next = await this.#batches.next();
      this.#batch = next.done ? undefined : next.value;
      this.#index = 0;
    } while (this.#batch && !this.#show());
    if (!this.#batch) this.name = undefined;
  }

  document(): Buffer {
    if (!this.#batch) throw new RangeError('the cursor is not at a document');
    return this.#batch.document(this.#index);
  }

  async close(): Promise<void> {
    await this.#batches.return?.();
  }

  #show(): boolean {
    if (!this.#batch || this.#index >= this.#batch.count) return false;
    this.name = this.#batch.nameBytes(this.#index).subarray(this.#rootBytes);
    return true;
  }
}
