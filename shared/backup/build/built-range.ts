/** The documents of a range as they were at a moment, from a base backup and the changes captured since: nothing is read from the source. */
import { compareNames } from '../../archive/index.ts';
import { CollectionCounts, DocumentBatch, type DocumentRange, justAfter, type NameRange } from '../../firestore/index.ts';
import { ArchiveCursor, type DocumentChange, type JoinSide, mergeJoin } from '../../stored-backup/index.ts';
import type { ParentArchive } from '../incremental/parent-archive.ts';

interface BuiltRangeOptions {
  readonly base: ParentArchive;
  /** The last state of every document of the range that has changed since the base, in name order. */
  readonly changes: (range: NameRange) => AsyncGenerator<DocumentChange, void, undefined>;
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
    const { base, changes, range, after } = this.#options;
    const root = base.archive.documentsRoot;
    const rest = after === undefined ? range : { ...range, from: justAfter(after.slice(root.length)) };
    const right = new ArchiveCursor(base.archive, [rest], { withBodies: true });
    const left = new ChangeCursor(changes(rest), Buffer.byteLength(root));
    try {
      await left.load();
      await base.read(() => right.load());
      for (let isOver = false; !isOver; ) {
        this.#batch.begin(this.#memory);
        isOver = await base.read(() => this.#fill(left, right));
        if (this.#batch.count === 0) continue;
        this.#count();
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
      if (order <= 0) return left.content ? this.#take(left.content) : true;
      if (right.requestBody()) return this.#take(right.document());
      return right.content().then((content) => this.#take(content));
    });
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

  #count(): void {
    const batch = this.#batch;
    const taken = this.#counts.add(batch);
    this.isFull = taken < batch.count;
    if (this.isFull) batch.keep(taken);
    this.documents += batch.count;
    this.bytes += batch.documentBytes;
  }
}

class ChangeCursor implements JoinSide<Buffer> {
  name: Buffer | undefined;
  /** The encoded document; undefined if it is deleted. */
  content: Buffer | undefined;
  readonly #changes: AsyncGenerator<DocumentChange, void, undefined>;
  readonly #rootBytes: number;

  constructor(changes: AsyncGenerator<DocumentChange, void, undefined>, rootBytes: number) {
    this.#changes = changes;
    this.#rootBytes = rootBytes;
  }

  step(): boolean {
    return false;
  }

  async load(): Promise<void> {
    const next = await this.#changes.next();
    this.name = next.done ? undefined : next.value.name.subarray(this.#rootBytes);
    this.content = next.done ? undefined : next.value.content;
  }

  async close(): Promise<void> {
    await this.#changes.return();
  }
}
