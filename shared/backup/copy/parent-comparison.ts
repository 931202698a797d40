/** Merges the source with the parent of an incremental backup in name order. Unchanged documents are inherited, not copied. */
import { type DocumentMarks, DocumentSkim, type ProtobufTimestamp, recordKind } from '../../archive/index.ts';
import type { DocumentBatch, NameRange } from '../../firestore/index.ts';
import type { RunControl } from '../../job/index.ts';
import { type ArchivePart, archivePartsIn, archiveRanges, type PartWriter } from '../../stored-backup/index.ts';
import type { ParentArchive } from '../incremental/parent-archive.ts';

interface ComparedRange {
  readonly range: NameRange;
  /** Full name of the last document of earlier parts. */
  readonly after: string | undefined;
  /** The time of tombstones. */
  readonly readTime: ProtobufTimestamp;
}

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
  readonly #parent: ParentArchive;
  readonly #writer: PartWriter;
  readonly #control: RunControl;
  readonly #readTime: ProtobufTimestamp;
  readonly #after: Buffer | undefined;
  readonly #parts: AsyncGenerator<ArchivePart, void, undefined>;
  readonly #marks = new DocumentSkim();
  #part: ArchivePart | undefined;
  #slot = 0;
  #isAtEnd = false;

  constructor(parent: ParentArchive, { range, after, readTime }: ComparedRange, writer: PartWriter, control: RunControl) {
    const { archive } = parent;
    this.#parent = parent;
    this.#writer = writer;
    this.#control = control;
    this.#readTime = readTime;
    this.#after = after === undefined ? undefined : Buffer.from(after);
    const within = archiveRanges(archive, [range]).map(({ from, to }) => ({ from: this.#after ?? from, to }));
    this.#parts = archivePartsIn(archive, within, () => 'keys');
  }

  /** Adds a batch of the source, with tombstones for the parent's documents that come before each document. */
  async documents(batch: DocumentBatch): Promise<void> {
    const marks = this.#marks;
    for (let i = 0; i < batch.count; i++) {
      batch.at(i, marks);
      let order = this.#advanceTo(batch.bytes, marks);
      while (order === undefined) {
        await this.#load();
        order = this.#advanceTo(batch.bytes, marks);
      }
      if (order === 0 && this.#isUnchanged(marks)) this.#inherit();
      else this.#writer.documentAt(batch, marks);
      if (order === 0) this.#slot += 1;
    }
  }

  /** At the end of the source: the parent's remaining documents are deleted. False if the worker's time was over first. */
  async rest(): Promise<boolean> {
    for (;;) {
      const { end = 0 } = this.#part ?? {};
      for (; this.#slot < end; this.#slot++) this.lastDeleted = this.#markDeleted() ?? this.lastDeleted;
      if (!this.#isAtEnd) await this.#load();
      if (this.#isAtEnd) return true;
      // Each run makes progress, however little time it has.
      if (this.#control.isYielding && this.lastDeleted !== undefined) return false;
    }
  }

  async close(): Promise<void> {
    await this.#parts.return();
  }

  /** Skips the parent's documents before that one, and compares the next. Undefined if the next leaf must be loaded first. */
  #advanceTo(bytes: Uint8Array, { nameStart, nameEnd }: DocumentMarks): number | undefined {
    if (this.#isAtEnd) return 1;
    for (const part = this.#part; part && this.#slot < part.end; this.#slot++) {
      const order = part.leaf.compareName(this.#slot, bytes, nameStart, nameEnd);
      if (order >= 0) return order;
      this.#markDeleted();
    }
    return undefined;
  }

  async #load(): Promise<void> {
    // There may be many tombstones between two documents.
    await this.#writer.drain();
    this.#control.check();
    const part = await this.#parent.readOrReportDamage(() => this.#next());
    this.#isAtEnd = part === undefined;
    this.#part = part;
    this.#slot = part?.start ?? 0;
    const after = this.#after;
    if (part && after && part.leaf.compareName(this.#slot, after, 0, after.length) === 0) this.#slot += 1;
  }

  async #next(): Promise<ArchivePart | undefined> {
    const { value: part } = await this.#parts.next();
    // Only the names were read, so the existence of the chunk is checked separately.
    if (part) await this.#parent.assertStored({ backup: part.segment.backup, name: part.segment.object });
    return part ?? undefined;
  }

  #isUnchanged({ updatedSeconds, updatedNanos }: DocumentMarks): boolean {
    const leaf = this.#part?.leaf;
    // Without an update time, the document counts as changed.
    if (updatedSeconds === 0 || leaf?.kind(this.#slot) !== recordKind.document) return false;
    return leaf.isUpdatedAt(this.#slot, updatedSeconds, updatedNanos);
  }

  #inherit(): void {
    const part = this.#part;
    if (part) this.#writer.keep(part.segment, this.#slot, part.leaf.name(this.#slot));
  }

  /** Writes a tombstone, unless the parent's record is one itself. */
  #markDeleted(): string | undefined {
    const leaf = this.#part?.leaf;
    if (leaf?.kind(this.#slot) !== recordKind.document) return undefined;
    const name = leaf.name(this.#slot);
    this.#writer.deleted(name, this.#readTime);
    return name.toString();
  }
}
