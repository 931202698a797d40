/** The documents of a range as they were at a moment, from a base backup and the changes captured since: nothing is read from the source. */
import { compareNames, recordKind } from '../../archive/index.ts';
import { CollectionCounts, DocumentBatch, type DocumentRange, justAfter, type NameRange } from '../../firestore/index.ts';
import { ArchiveCursor, archiveRanges, type JoinSide, mergeJoin } from '../../stored-backup/index.ts';
import type { ParentArchive } from '../incremental/parent-archive.ts';
import type { Delta, StoredChange } from './delta.ts';

interface BuiltRangeOptions {
  readonly base: ParentArchive;
  readonly delta: Delta;
  readonly range: NameRange;
  /** Full name of a document: resumes after it. */
  readonly after?: string | undefined;
  readonly collectionBytesMax?: number;
}

/** As many as a batch of the source has. */
const batchBytes = 256 << 10;

export class BuiltRange implements DocumentRange {
  documents = 0;
  bytes = 0;
  readonly reads = 0;
  isFull = false;
  /** How many documents more than in the base. */
  difference = 0;
  /** Of the current batch: how many documents lie before each one that is new, and before each one that was deleted. */
  #added: number[] = [];
  #removed: number[] = [];
  readonly #options: BuiltRangeOptions;
  readonly #counts: CollectionCounts;
  readonly #batch = new DocumentBatch();
  #memory = Buffer.allocUnsafe(2 * batchBytes);

  constructor(options: BuiltRangeOptions) {
    this.#options = options;
    const { after, collectionBytesMax } = options;
    this.#counts = new CollectionCounts(after === undefined ? undefined : Buffer.from(after), collectionBytesMax);
  }

  get lastName(): string | undefined {
    return this.#counts.lastName?.toString();
  }

  get collections(): ReadonlyMap<string, number> {
    return this.#counts.counts;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<DocumentBatch, void, undefined> {
    const { base, delta, range, after } = this.#options;
    const root = base.archive.documentsRoot;
    const rest = after === undefined ? range : { ...range, from: justAfter(after.slice(root.length)) };
    const right = new ArchiveCursor(base.archive, [rest], { withBodies: true });
    const [within = {}] = archiveRanges(base.archive, [rest]);
    const left = new ChangeCursor(delta.changes(within), Buffer.byteLength(root));
    try {
      await base.read(() => left.load());
      await base.read(() => right.load());
      for (let isOver = false; !isOver; ) {
        this.#batch.begin(this.#memory);
        isOver = await base.read(() => this.#fill(left, right));
        if (this.#batch.count === 0) {
          if (isOver) this.difference -= this.#removed.length;
          continue;
        }
        this.#count(isOver);
        yield this.#batch;
        if (this.isFull) return;
      }
    } finally {
      await right.close();
      await left.close();
    }
  }

  /** False if the batch is full. A record that does not fit into it is visited again. */
  #fill(left: ChangeCursor, right: ArchiveCursor): Promise<boolean> {
    return mergeJoin({ left, right, compare: compareNames }, (order) => {
      if (order <= 0) return this.#change(left.content, order);
      if (right.requestBody()) return this.#take(right.document());
      return right.content().then((content) => this.#take(content));
    });
  }

  #change(content: Buffer | undefined, order: number): boolean {
    if (!content) {
      if (order === 0) this.#removed.push(this.#batch.count);
      return true;
    }
    const isTaken = this.#take(content);
    if (isTaken && order < 0) this.#added.push(this.#batch.count - 1);
    return isTaken;
  }

  #take(document: Uint8Array): boolean {
    const batch = this.#batch;
    const start = batch.documentBytes;
    if (start + document.length > this.#memory.length) {
      if (batch.count > 0) return false;
      this.#memory = Buffer.allocUnsafe(2 * document.length);
      batch.begin(this.#memory);
    }
    this.#memory.set(document, start);
    batch.add(start, start + document.length);
    return true;
  }

  #count(isOver: boolean): void {
    const batch = this.#batch;
    const taken = this.#counts.add(batch);
    this.isFull = taken < batch.count;
    if (this.isFull) batch.keep(taken);
    // What follows the last document is dealt with after it: by the next batch, or the next part, if there is one.
    const counted = isOver && !this.isFull ? Number.POSITIVE_INFINITY : taken;
    this.difference += this.#added.filter((n) => n < counted).length - this.#removed.filter((n) => n < counted).length;
    this.#removed = this.#removed.filter((n) => n >= counted).map(() => 0);
    this.#added = [];
    this.documents += batch.count;
    this.bytes += batch.documentBytes;
  }
}

class ChangeCursor implements JoinSide<Buffer> {
  name: Buffer | undefined;
  /** The encoded document; undefined if it is deleted. */
  content: Buffer | undefined;
  readonly #changes: AsyncGenerator<StoredChange, void, undefined>;
  readonly #rootBytes: number;

  constructor(changes: AsyncGenerator<StoredChange, void, undefined>, rootBytes: number) {
    this.#changes = changes;
    this.#rootBytes = rootBytes;
  }

  step(): boolean {
    return false;
  }

  async load(): Promise<void> {
    const next = await this.#changes.next();
    const { leaf, slot } = next.value ?? {};
    this.name = leaf?.name(slot ?? 0).subarray(this.#rootBytes);
    this.content = leaf?.kind(slot ?? 0) === recordKind.document ? leaf.content(slot ?? 0) : undefined;
  }

  async close(): Promise<void> {
    await this.#changes.return();
  }
}
