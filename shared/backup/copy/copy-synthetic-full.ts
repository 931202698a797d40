/** Copies a range of another backup, or its users: record by record out of its leaves, sealed anew under a key of its own. */
import { type Archive, compareNames, type EncodedNameRange } from '../../archive/index.ts';
import { countBytes, type NameRange } from '../../firestore/index.ts';
import { Heartbeat, type RunControl } from '../../job/index.ts';
import { type ArchivePart, archiveRanges, partsIn, rootOf } from '../cursor/archive-cursor.ts';
import type { ParentArchive } from '../incremental/parent-archive.ts';
import { kindIn } from '../steps/plan-synthetic-full.ts';
import { beatOf, type CopyRun, withPart } from './copy-run.ts';
import type { PartWriter } from './part-writer.ts';
import { type Claim, checkpointShard, type PartResult, type ShardProgress } from './shard-progress.ts';

/** One run of a worker over a shard of a backup that is made of another. */
export interface SynthesisRun extends Omit<CopyRun, 'source' | 'parent'> {
  /** Opened once, when it is first asked for. */
  readonly origin: () => Promise<ParentArchive | undefined>;
}

/** A part ends here even if its range goes on, as one of the source does. */
const partBytesMax = 1 << 30;
const collectionBytesMax = 64 << 10;

/** True if the range is done. */
export const copyArchived = (run: SynthesisRun, claim: Claim): Promise<boolean> =>
  withPart(run, claim, async (part) => {
    const { parties, backup, engine, halt } = run;
    const { shard } = claim;
    const origin = await run.origin();
    if (!origin) throw new Error('a backup that is made of no other');
    const range = shard.range === undefined ? undefined : (JSON.parse(shard.range) as NameRange);
    const after = shard.after === undefined ? undefined : (JSON.parse(shard.after) as string);
    const copied = new Copied(part, range, after);
    // Users are no documents, and are not counted as such.
    const standing = (): ShardProgress => ({ documents: range ? shard.documents + copied.records : 0, reads: shard.reads });
    let told = shard.counted;
    const report = async (): Promise<void> => {
      const now = standing();
      await checkpointShard(parties, backup.id, claim, now, engine.clock);
      told = Math.max(told, now.documents);
    };
    const pulse = new Heartbeat({ ...beatOf(run), unreported: () => standing().documents - told, report });
    const isDone = await copy(origin, halt, copied).finally(() => pulse.stop());
    const stored = await part.finish();
    halt.check();
    const { lastName, bytes, collections } = copied;
    const ending: PartResult = {
      isDone,
      ...(isDone && { countVerified: origin.backup.countVerified === true }),
      ...(lastName !== undefined && { after: lastName }),
      ...(stored && { part: { ...stored, originalSize: bytes, collections: JSON.stringify([...collections]) } }),
    };
    await checkpointShard(parties, backup.id, claim, standing(), engine.clock, ending);
    return isDone;
  });

/** True if there is nothing more; false if the part is full or the worker's time nearly over. */
const copy = async (origin: ParentArchive, halt: RunControl, copied: Copied): Promise<boolean> => {
  const { archive } = origin;
  const parts = partsIn(archive, [copied.rangeIn(archive)], () => 'all');
  try {
    for (;;) {
      const next = await origin.reading(() => parts.next());
      halt.check();
      if (next.done) return true;
      if (!copied.take(next.value) || copied.bytes >= partBytesMax || halt.isYielding) return false;
      await copied.drain();
    }
  } finally {
    await parts.return();
  }
};

/** What was copied so far. */
class Copied {
  records = 0;
  /** Of the records, as the source encoded them. */
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

  /** What is left of the range; users come before all documents. */
  rangeIn(archive: Archive): EncodedNameRange {
    const users = { from: Buffer.from('accounts'), to: Buffer.from(rootOf(archive).slice(0, -1)) };
    const [range = users] = this.#range ? archiveRanges(archive, [this.#range]) : [];
    return { from: this.#after ?? range.from, to: range.to };
  }

  drain(): Promise<void> {
    return this.#part.drain();
  }

  /** False if it ended before a document of one more collection than there is room for. */
  take({ leaf, start, end }: ArchivePart): boolean {
    for (let slot = start; slot < end; slot++) {
      const name = leaf.name(slot);
      if (leaf.kind(slot) !== kindIn(this.#range) || (this.#after && compareNames(name, this.#after) === 0)) continue;
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
