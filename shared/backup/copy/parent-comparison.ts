/** The source beside the parent of an incremental backup, both in the order of names: what is as it was is kept where it lies. */
import { type DocumentMarks, DocumentSkim, type Moment, recordKind } from '../../archive/index.ts';
import type { DocumentBatch, NameRange } from '../../firestore/index.ts';
import type { RunControl } from '../../job/index.ts';
import { type ArchivePart, archivePartsIn, archiveRanges } from '../cursor/archive-cursor.ts';
import type { ParentArchive } from '../incremental/parent-archive.ts';
import type { PartWriter } from './part-writer.ts';

export interface Compared {
  readonly range: NameRange;
  /** Full name of the last document that earlier parts have dealt with. */
  readonly after: string | undefined;
  /** When what the parent has and the source has not was found gone. */
  readonly readTime: Moment;
}

/**
 * Whatever of the parent cannot be read counts as not there: what the source has is written anew, and the chain is whole again
 * from there on. Of what is gone only the names of a part are lost then.
 *
 * A document whose name and update time the parent has is the one that the parent has: each write of a document gives it
 * another time. Of the parent only names and times are fetched, a leaf at a time.
 */
export class ParentComparison {
  /** Full name of the last document of the parent that comes after all that the source has. */
  lastDeleted: string | undefined;
  readonly #parent: ParentArchive;
  readonly #writer: PartWriter;
  readonly #control: RunControl;
  readonly #readTime: Moment;
  readonly #after: Buffer | undefined;
  readonly #parts: AsyncGenerator<ArchivePart, void, undefined>;
  readonly #marks = new DocumentSkim();
  #part: ArchivePart | undefined;
  #slot = 0;
  #isOver = false;

  constructor(parent: ParentArchive, { range, after, readTime }: Compared, writer: PartWriter, control: RunControl) {
    const { archive } = parent;
    this.#parent = parent;
    this.#writer = writer;
    this.#control = control;
    this.#readTime = readTime;
    this.#after = after === undefined ? undefined : Buffer.from(after);
    const within = archiveRanges(archive, [range]).map(({ from, to }) => ({ from: this.#after ?? from, to }));
    this.#parts = archivePartsIn(archive, within, () => 'keys');
  }

  /** Adds a batch of the source, and before each document what the parent has that comes before it. */
  async documents(batch: DocumentBatch): Promise<void> {
    const marks = this.#marks;
    for (let i = 0; i < batch.count; i++) {
      batch.at(i, marks);
      let order = this.#passTo(batch.bytes, marks);
      while (order === undefined) {
        await this.#load();
        order = this.#passTo(batch.bytes, marks);
      }
      if (order === 0 && this.#isAsItWas(marks)) this.#keep();
      else this.#writer.documentAt(batch, marks);
      if (order === 0) this.#slot += 1;
    }
  }

  /** Once the source has nothing more: all that the parent still has is gone. False if the worker's time was over before the end. */
  async rest(): Promise<boolean> {
    for (;;) {
      const { end = 0 } = this.#part ?? {};
      for (; this.#slot < end; this.#slot++) this.lastDeleted = this.#gone() ?? this.lastDeleted;
      if (!this.#isOver) await this.#load();
      if (this.#isOver) return true;
      // However little time there is, each run comes further.
      if (this.#control.isYielding && this.lastDeleted !== undefined) return false;
    }
  }

  async close(): Promise<void> {
    await this.#parts.return();
  }

  /** How what the parent has here compares with that document: not before it. Undefined if the next leaf is to be loaded first. */
  #passTo(bytes: Uint8Array, { nameStart, nameEnd }: DocumentMarks): number | undefined {
    if (this.#isOver) return 1;
    for (const part = this.#part; part && this.#slot < part.end; this.#slot++) {
      const order = part.leaf.compareName(this.#slot, bytes, nameStart, nameEnd);
      if (order >= 0) return order;
      this.#gone();
    }
    return undefined;
  }

  async #load(): Promise<void> {
    // Of what is gone there may be much between two documents.
    await this.#writer.drain();
    this.#control.check();
    const part = await this.#parent.readOrReportDamage(() => this.#next());
    this.#isOver = part === undefined;
    this.#part = part;
    this.#slot = part?.start ?? 0;
    const after = this.#after;
    if (part && after && part.leaf.compareName(this.#slot, after, 0, after.length) === 0) this.#slot += 1;
  }

  async #next(): Promise<ArchivePart | undefined> {
    const { value: part } = await this.#parts.next();
    // Of the leaf only the names were read: that all of its chunk is there is asked apart.
    if (part) await this.#parent.assertStored({ backup: part.segment.backup, name: part.segment.object });
    return part ?? undefined;
  }

  #isAsItWas({ updatedSeconds, updatedNanos }: DocumentMarks): boolean {
    const leaf = this.#part?.leaf;
    // Where a source tells no time, nothing is known.
    if (updatedSeconds === 0 || leaf?.kind(this.#slot) !== recordKind.document) return false;
    return leaf.isUpdatedAt(this.#slot, updatedSeconds, updatedNanos);
  }

  #keep(): void {
    const part = this.#part;
    if (part) this.#writer.keep(part.segment, this.#slot, part.leaf.name(this.#slot));
  }

  /** What was gone for the parent already is not told again. */
  #gone(): string | undefined {
    const leaf = this.#part?.leaf;
    if (leaf?.kind(this.#slot) !== recordKind.document) return undefined;
    const name = leaf.name(this.#slot);
    this.#writer.deleted(name, this.#readTime);
    return name.toString();
  }
}
