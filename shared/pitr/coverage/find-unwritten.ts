/** Finds the documents of a collection group that existed at a past moment and are not in the batch, and writes them to it. */

import type { DocumentMarks } from '../../archive/index.ts';
import {
  countGroup,
  type DocumentBatch,
  type FirestoreDatabase,
  isInRange,
  type NameRange,
  readRange,
  splitPoints,
  tile,
} from '../../firestore/index.ts';
import { type ChangeBatchWriter, createdOf, updatedOf } from '../batch/change-batch-writer.ts';
import type { VersionSearch } from '../listen/observed-changes.ts';
import { momentOf } from '../model/micro-time.ts';
import type { Lookup } from './document-lookup.ts';
import type { PastGroup } from './past-group.ts';
import type { PastTally } from './past-tally.ts';
import { proveSeconds } from './prove-seconds.ts';

export interface PastReads {
  readonly source: FirestoreDatabase;
  readonly lookup: Lookup;
  readonly tally: PastTally;
  readonly writer: ChangeBatchWriter;
  readonly isEverySecond: boolean;
  /** Further moments whose versions are wanted, in microseconds. */
  readonly others: readonly number[];
  readonly signal: AbortSignal;
}

/** So many documents of a range are read; a larger range is halved. */
const listMax = 100;
const partsMax = 1_000;
/** Documents whose versions are searched together, and whose bytes are held. */
const heldDocuments = 20;

interface Excess {
  readonly moment: number;
  /** The source's number of documents, and how many of them are not written. */
  readonly count: number;
  readonly excess: number;
}

export const findUnwritten = async (group: PastGroup, { moment, count, excess }: Excess, reads: PastReads): Promise<void> => {
  const { source, tally, signal } = reads;
  const { collectionId, from } = group.span;
  const prefix = source.root.length + 1;
  const countIn = async (range: NameRange, at: number): Promise<number> => {
    tally.expect(1);
    const counted = await countGroup(source, { collectionId, readTime: momentOf(at), signal, range });
    tally.spend(counted.reads);
    return counted.documents ?? Number.NaN;
  };
  const search = async (ranges: readonly NameRange[], documents: number, missing: number): Promise<void> => {
    const middle = ranges.length >>> 1;
    if (documents <= listMax || middle === 0) return writeUnwritten(group, joined(ranges), { moment, documents, reads });
    const left = joined(ranges.slice(0, middle));
    const [now, before] = [await countIn(left, moment), await countIn(left, from)];
    const leftMissing = now - before - group.addedIn((name) => isInRange(name.slice(prefix), left), moment);
    if (leftMissing > 0) await search(ranges.slice(0, middle), now, leftMissing);
    if (missing - leftMissing > 0) await search(ranges.slice(middle), documents - now, missing - leftMissing);
  };
  const points = Math.min(partsMax, Math.ceil(count / listMax) - 1);
  if (points > 0) tally.spend(1);
  const names = points > 0 ? await splitPoints(source, { collectionId, points, readTime: momentOf(moment), signal }) : [];
  await search(tile([{}], names), count, excess);
};

const joined = (ranges: readonly NameRange[]): NameRange => ({ from: ranges[0]?.from, to: ranges.at(-1)?.to });

interface Listing {
  readonly moment: number;
  readonly documents: number;
  readonly reads: PastReads;
}

/** Reads a range at that moment. Every document that is written is found, and one that is not has changed since the start. */
const writeUnwritten = async (group: PastGroup, range: NameRange, { moment, documents, reads }: Listing): Promise<void> => {
  const { source, tally, signal } = reads;
  const { collectionId, from } = group.span;
  tally.expect(documents);
  const reader = readRange(source, { range, readTime: momentOf(moment), collectionId, signal });
  let held = new FoundDocuments(group, moment);
  try {
    for await (const batch of reader)
      for (let n = 0; n < batch.count; n++) {
        const name = batch.nameBytes(n).toString();
        if (updatedOf(batch.at(n)) <= from || group.existsAt(name, moment)) continue;
        held.add(name, batch, n);
        if (held.searches.length < heldDocuments) continue;
        await held.write(reads);
        held = new FoundDocuments(group, moment);
      }
  } finally {
    tally.spend(reader.reads);
  }
  await held.write(reads);
};

/** Documents found at a moment. Their other versions and their end are looked up before anything is written. */
class FoundDocuments {
  readonly #group: PastGroup;
  readonly #moment: number;
  readonly #changes = new HeldChanges();
  readonly searches: VersionSearch[] = [];

  constructor(group: PastGroup, moment: number) {
    this.#group = group;
    this.#moment = moment;
  }

  add(name: string, batch: DocumentBatch, n: number): void {
    const document = batch.at(n);
    const version = { updated: updatedOf(document), created: createdOf(document) };
    this.#changes.document(batch.bytes, document.start, document.end, document);
    const to = this.#group.goneBy(name, this.#moment);
    this.searches.push({ name, from: this.#group.span.from, to, last: undefined, versions: [version], seenAt: undefined });
  }

  async write({ lookup, tally, writer, isEverySecond, others }: PastReads): Promise<void> {
    const { searches } = this;
    if (searches.length === 0) return;
    const proof = { searches, others, isEverySecond, lookup, writer: this.#changes };
    await tally.lookingUp(lookup, () => proveSeconds(proof));
    await this.#changes.writeTo(writer);
    this.#group.forget();
  }
}

/** Changes that are written together or not at all: a version without its deletion would be restored for ever. */
class HeldChanges {
  readonly #writes: ((writer: ChangeBatchWriter) => void)[] = [];

  /** Copies: the bytes are valid during the call only. */
  document(bytes: Uint8Array, start: number, end: number, marks: DocumentMarks): void {
    const copy = Buffer.from(bytes.subarray(start, end));
    const { nameStart, nameEnd, createdSeconds, createdNanos, updatedSeconds, updatedNanos } = marks;
    const times = { createdSeconds, createdNanos, updatedSeconds, updatedNanos };
    const moved = { nameStart: nameStart - start, nameEnd: nameEnd - start, ...times };
    this.#writes.push((writer) => writer.document(copy, 0, copy.length, moved));
  }

  tombstone(name: string, since: number): void {
    this.#writes.push((writer) => writer.tombstone(name, since));
  }

  async drain(): Promise<void> {
    // Nothing is written yet.
  }

  async writeTo(writer: ChangeBatchWriter): Promise<void> {
    for (const write of this.#writes) write(writer);
    await writer.drain();
  }
}
