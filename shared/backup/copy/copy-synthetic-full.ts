/** Copies a range of another backup, or its users, record by record, encrypted with a new data key. */
import { type Archive, compareNames, type EncodedNameRange } from '../../archive/index.ts';
import { countBytes, type NameRange } from '../../firestore/index.ts';
import type { RunControl } from '../../job/index.ts';
import { type ArchivePart, archivePartsIn, archiveRanges, type PartWriter, withPart } from '../../stored-backup/index.ts';
import type { ParentArchive } from '../incremental/parent-archive.ts';
import { recordKindOf } from '../steps/plan-synthetic-full.ts';
import { collectionBytesMax, partBytesMax } from './copy-documents.ts';
import { type CopyRun, withCopyHeartbeat } from './copy-run.ts';
import { type Claim, checkpointShard, type PartResult, type ShardProgress } from './shard-progress.ts';

export interface SynthesisRun extends Omit<CopyRun, 'reading' | 'parent'> {
  /** The backup it is made from; opened once, on first use. */
  readonly origin: () => Promise<ParentArchive | undefined>;
}

/** True if the range is done. */
export const copySyntheticFull = (run: SynthesisRun, claim: Claim): Promise<boolean> =>
  withPart(run, claim, async (part) => {
    const { control } = run;
    const { shard } = claim;
    const origin = await run.origin();
    if (!origin) throw new Error('the synthetic full has no origin');
    const range = shard.range === undefined ? undefined : (JSON.parse(shard.range) as NameRange);
    const after = shard.after === undefined ? undefined : (JSON.parse(shard.after) as string);
    const copied = new RecordCopier(part, range, after);
    // Users do not count as documents.
    const progress = (): ShardProgress => ({ documents: range ? shard.documents + copied.records : 0, reads: shard.reads });
    const isDone = await withCopyHeartbeat(run, { claim, work: () => copy(origin, control, copied), progress });
    const stored = await withCopyHeartbeat(run, { claim, work: () => part.finish() });
    control.check();
    const { lastName, bytes, collections } = copied;
    const result: PartResult = {
      isDone,
      ...(isDone && { countVerified: origin.backup.countVerified === true }),
      ...(lastName !== undefined && { after: lastName }),
      ...(stored && { part: { ...stored, originalSize: bytes, collections: JSON.stringify([...collections]) } }),
    };
    await checkpointShard(run, { claim, progress: progress(), result });
    return isDone;
  });

/** True if the range is exhausted; false if the part is full or the worker's time is nearly over. */
const copy = async (origin: ParentArchive, control: RunControl, copied: RecordCopier): Promise<boolean> => {
  const { archive } = origin;
  const parts = archivePartsIn(archive, [copied.rangeIn(archive)], () => 'all');
  try {
    for (;;) {
      const next = await origin.read(() => parts.next());
      control.check();
      if (next.done) return true;
      if (!copied.take(next.value) || copied.bytes >= partBytesMax || control.isYielding) return false;
      await copied.drain();
    }
  } finally {
    await parts.return();
  }
};

class RecordCopier {
  records = 0;
  /** Bytes of the records, as the source encoded them. */
  bytes = 0;
  lastName: string | undefined;
  /** Documents by collection id. */
  readonly collections = new Map<string, number>();
  readonly #part: PartWriter;
  readonly #range: NameRange | undefined;
  readonly #after: Buffer | undefined;
  #parent = '';
  #collection = '';
  #collectionBytes = 0;

  constructor(part: PartWriter, range: NameRange | undefined, after: string | undefined) {
    this.#part = part;
    this.#range = range;
    this.#after = after === undefined ? undefined : Buffer.from(after);
    this.lastName = after;
  }

  /** The rest of the range. Users sort before all documents. */
  rangeIn(archive: Archive): EncodedNameRange {
    const users = { from: Buffer.from('accounts'), to: Buffer.from(archive.documentsRoot.slice(0, -1)) };
    const [range = users] = this.#range ? archiveRanges(archive, [this.#range]) : [];
    return { from: this.#after ?? range.from, to: range.to };
  }

  drain(): Promise<void> {
    return this.#part.drain();
  }

  /** False if it stopped because the item of the part has no room for another collection. */
  take({ leaf, start, end }: ArchivePart): boolean {
    for (let slot = start; slot < end; slot++) {
      const name = leaf.name(slot);
      if (leaf.kind(slot) !== recordKindOf(this.#range) || (this.#after && compareNames(name, this.#after) === 0)) continue;
      const text = name.toString();
      if (this.#range && !this.#count(text)) return false;
      const content = leaf.content(slot);
      if (this.#range) this.#part.document(content);
      else this.#part.user(text.slice(text.indexOf('/') + 1), content);
      this.records += 1;
      this.bytes += content.length;
      this.lastName = text;
    }
    return true;
  }

  #count(name: string): boolean {
    const parent = name.slice(0, name.lastIndexOf('/'));
    if (parent !== this.#parent) {
      const collection = parent.slice(parent.lastIndexOf('/') + 1);
      if (!this.collections.has(collection)) {
        if (this.#collectionBytes >= collectionBytesMax) return false;
        this.#collectionBytes += countBytes(collection);
      }
      [this.#parent, this.#collection] = [parent, collection];
    }
    this.collections.set(this.#collection, (this.collections.get(this.#collection) ?? 0) + 1);
    return true;
  }
}
