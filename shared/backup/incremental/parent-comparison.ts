/** Joins the source with the parent of an incremental backup in name order. Unchanged documents are inherited, not copied. */
import { type DocumentMarks, DocumentSkim, type Leaf, type ProtobufTimestamp, recordKind } from '../../archive/index.ts';
import type { DocumentBatch, NameRange } from '../../firestore/index.ts';
import type { RunControl } from '../../job/index.ts';
import {
  type ArchivePart,
  archivePartsIn,
  archiveRanges,
  type JoinSide,
  mergeJoin,
  type PartWriter,
} from '../../stored-backup/index.ts';
import type { ParentArchive } from './parent-archive.ts';

interface ComparedRange {
  readonly range: NameRange;
  /** Full name of the last document of earlier parts. */
  readonly after: string | undefined;
  /** The time of tombstones. */
  readonly readTime: ProtobufTimestamp;
}

interface ComparisonRun {
  readonly writer: PartWriter;
  readonly control: RunControl;
}

/** Batches of the source. The generator returns whether the source is exhausted. */
export type SourceBatches = AsyncGenerator<DocumentBatch, boolean, undefined>;

/**
 * A document with the same name and update time as in the parent is unchanged, because each write gives it a new time. Only names
 * and times of the parent are fetched, a leaf at a time.
 *
 * A part of the parent that cannot be read counts as absent: the documents of the source are copied again, so the new backup is
 * complete. Only tombstones for documents of that part are lost.
 */
export class ParentComparison {
  /** Full name of the parent's last deleted document after the end of the source. */
  lastDeleted: string | undefined;
  readonly #parent: ParentCursor;
  readonly #writer: PartWriter;
  readonly #control: RunControl;
  readonly #readTime: ProtobufTimestamp;

  constructor(parent: ParentArchive, range: ComparedRange, { writer, control }: ComparisonRun) {
    this.#writer = writer;
    this.#control = control;
    this.#readTime = range.readTime;
    this.#parent = new ParentCursor(parent, range, async () => {
      // There may be many tombstones between two documents.
      await writer.drain();
      control.check();
    });
  }

  /** Writes what differs. True if the source is exhausted and all that the parent has besides it is marked as deleted. */
  async run(batches: SourceBatches): Promise<boolean> {
    const [source, parent, writer] = [new SourceCursor(batches), this.#parent, this.#writer];
    await source.load();
    await parent.load();
    const compare = ({ nameStart, nameEnd }: DocumentMarks, leaf: Leaf): number =>
      -leaf.compareName(parent.slot, source.bytes, nameStart, nameEnd);
    const isComplete = await mergeJoin({ left: source, right: parent, compare }, (order) => {
      if (order > 0) return this.#isDeleted(source);
      if (order === 0 && parent.isUpdatedAt(source.marks)) parent.keepIn(writer);
      else source.writeTo(writer);
      return true;
    });
    return isComplete && source.isExhausted;
  }

  async close(): Promise<void> {
    await this.#parent.close();
  }

  /** The source lacks the parent's document. False if the source has ended early, or if the worker's time is over after its end. */
  #isDeleted(source: SourceCursor): boolean {
    const isAfterSource = source.name === undefined;
    // Each run makes progress, however little time it has.
    if (isAfterSource && (!source.isExhausted || (this.#control.isYielding && this.lastDeleted !== undefined))) return false;
    const name = this.#parent.documentName();
    if (!name) return true;
    this.#writer.deleted(name, this.#readTime);
    if (isAfterSource) this.lastDeleted = name.toString();
    return true;
  }
}

/** The documents of the source. Its name is where the name stands in the bytes of the batch. */
class SourceCursor implements JoinSide<DocumentMarks> {
  name: DocumentMarks | undefined;
  /** Whether the source has ended, rather than the part. */
  isExhausted = false;
  readonly marks = new DocumentSkim();
  readonly #batches: SourceBatches;
  #batch: DocumentBatch | undefined;
  #index = 0;

  constructor(batches: SourceBatches) {
    this.#batches = batches;
  }

  get bytes(): Uint8Array {
    return this.#batch?.bytes ?? nothing;
  }

  step(): boolean {
    const batch = this.#batch;
    if (!batch || ++this.#index >= batch.count) return false;
    batch.at(this.#index, this.marks);
    return true;
  }

  async load(): Promise<void> {
    for (;;) {
      const next = await this.#batches.next();
      this.#batch = next.done ? undefined : next.value;
      this.#index = -1;
      this.isExhausted = next.done === true && next.value;
      this.name = next.done ? undefined : this.marks;
      if (next.done || this.step()) return;
    }
  }

  writeTo(writer: PartWriter): void {
    if (this.#batch) writer.documentAt(this.#batch, this.marks);
  }
}

const nothing = new Uint8Array(0);

/** All records of the parent. Its name is the leaf that has the name in its slot. */
class ParentCursor implements JoinSide<Leaf> {
  name: Leaf | undefined;
  slot = 0;
  readonly #parent: ParentArchive;
  readonly #after: Buffer | undefined;
  readonly #parts: AsyncGenerator<ArchivePart, void, undefined>;
  readonly #beforeLoad: () => Promise<void>;
  #part: ArchivePart | undefined;

  constructor(parent: ParentArchive, { range, after }: ComparedRange, beforeLoad: () => Promise<void>) {
    this.#parent = parent;
    this.#beforeLoad = beforeLoad;
    this.#after = after === undefined ? undefined : Buffer.from(after);
    const within = archiveRanges(parent.archive, [range]).map(({ from, to }) => ({ from: this.#after ?? from, to }));
    this.#parts = archivePartsIn(parent.archive, within, () => 'keys');
  }

  step(): boolean {
    return this.#part !== undefined && ++this.slot < this.#part.end;
  }

  async load(): Promise<void> {
    const after = this.#after;
    do {
      await this.#beforeLoad();
      this.#part = await this.#parent.readOrReportDamage(() => this.#next());
      this.name = this.#part?.leaf;
      this.slot = this.#part?.start ?? 0;
    } while (after && this.name?.compareName(this.slot, after, 0, after.length) === 0 && !this.step());
  }

  isUpdatedAt({ updatedSeconds, updatedNanos }: DocumentMarks): boolean {
    // Without an update time, the document counts as changed.
    if (updatedSeconds === 0 || this.name?.kind(this.slot) !== recordKind.document) return false;
    return this.name.isUpdatedAt(this.slot, updatedSeconds, updatedNanos);
  }

  keepIn(writer: PartWriter): void {
    if (this.#part) writer.keep(this.#part.segment, this.slot, this.#part.leaf.name(this.slot));
  }

  /** Undefined if the record is a tombstone. */
  documentName(): Buffer | undefined {
    return this.name?.kind(this.slot) === recordKind.document ? this.name.name(this.slot) : undefined;
  }

  async close(): Promise<void> {
    await this.#parts.return();
  }

  async #next(): Promise<ArchivePart | undefined> {
    const { value: part } = await this.#parts.next();
    // Only the names were read, so the existence of the chunk is checked separately.
    if (part) await this.#parent.assertStored({ backup: part.segment.backup, name: part.segment.object });
    return part ?? undefined;
  }
}
