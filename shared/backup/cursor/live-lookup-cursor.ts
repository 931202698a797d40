import { type Archive, DocumentSkim, recordKind } from '../../archive/index.ts';
import { type FirestoreDatabase, type Got, getWithin } from '../../firestore/index.ts';
import { type ArchivePart, documentsRoot } from './archive-cursor.ts';
import type { TargetCursor } from './document-cursor.ts';
import type { LiveReadOptions } from './live-scan-cursor.ts';

/** Names asked for in one request: the first ones, before it is known how large the documents are, and at most. */
const namesFirst = 100;
const namesMax = 300;
/** Requests under way before they are wanted, so that the way there and back is not what is waited for. */
const aheadMax = 4;
/** Leaves held for the archive's side while what is asked for them is under way: names far apart lie in one each. */
const partsMax = 24;
const partsOfBatch = 8;
/** Of the answer to one request; so many names are asked for at once that it is about half of this. */
const answerMaxBytes = 8 << 20;

export interface LookupOptions extends LiveReadOptions {
  readonly withTombstones: boolean;
  /** Which of the names are asked for; the archive's side may come to see no others. */
  readonly wants?: ((path: string) => boolean) | undefined;
}

/**
 * The documents of the database that have the names of an archive's records, and no others: each name is billed as a read. The
 * parts of the archive pass through here on their way to its own side, so that they are fetched once.
 */
export class LiveLookupCursor implements TargetCursor {
  name: Buffer | undefined;
  seconds = 0;
  nanos = 0;
  reads = 0;
  readonly #source: FirestoreDatabase;
  readonly #options: LookupOptions;
  readonly #rootBytes: number;
  readonly #archiveRootBytes: number;
  readonly #skim = new DocumentSkim();
  #parts: AsyncGenerator<ArchivePart, void, undefined> | undefined;
  readonly #passing: ArchivePart[] = [];
  readonly #batches: Batch[] = [];
  #filling: Batch = newBatch();
  #names = namesFirst;
  #documents: readonly Uint8Array[] = [];
  #index = 0;

  constructor(source: FirestoreDatabase, archive: Archive, options: LookupOptions) {
    this.#source = source;
    this.#options = options;
    this.#rootBytes = Buffer.byteLength(source.root) + 1;
    this.#archiveRootBytes = Buffer.byteLength(documentsRoot(archive));
  }

  /** What the archive's side reads from. */
  readonly through = (parts: AsyncGenerator<ArchivePart, void, undefined>): AsyncGenerator<ArchivePart, void, undefined> => {
    this.#parts = parts;
    return this.#pass(parts);
  };

  step(): boolean {
    const document = this.#documents[++this.#index];
    if (!document) return false;
    const skim = this.#skim;
    skim.read(document, 0, document.length);
    this.name = Buffer.from(
      document.buffer,
      document.byteOffset + skim.nameStart + this.#rootBytes,
      skim.nameEnd - skim.nameStart - this.#rootBytes,
    );
    this.seconds = skim.updatedSeconds;
    this.nanos = skim.updatedNanos;
    return true;
  }

  async load(): Promise<void> {
    for (;;) {
      while (this.#wantsMore && (await this.#pull()));
      for (const batch of this.#batches.slice(0, aheadMax)) batch.answer ??= this.#ask(batch.paths);
      const batch = this.#batches.shift();
      this.#index = -1;
      if (!batch) break;
      this.#documents = await this.#answerTo(batch);
      if (this.step()) return;
    }
    this.#documents = [];
    this.name = undefined;
  }

  get #wantsMore(): boolean {
    return this.#batches.length === 0 || (this.#batches.length < aheadMax && this.#passing.length < partsMax);
  }

  document(): Uint8Array {
    const document = this.#documents[this.#index];
    if (!document) throw new RangeError('there is no document here');
    return document;
  }

  async content(): Promise<Uint8Array> {
    return this.document();
  }

  async close(): Promise<void> {
    await this.#parts?.return();
  }

  async *#pass(parts: AsyncGenerator<ArchivePart, void, undefined>): AsyncGenerator<ArchivePart, void, undefined> {
    try {
      for (;;) {
        while (this.#passing.length === 0) if (!(await this.#pull())) return;
        const part = this.#passing.shift();
        if (part) yield part;
      }
    } finally {
      await parts.return();
    }
  }

  /** Takes in one more part; false if there is none. */
  async #pull(): Promise<boolean> {
    const next = await this.#parts?.next();
    if (!next || next.done) {
      this.#fill();
      return false;
    }
    const { leaf, start, end } = next.value;
    const { withTombstones, wants } = this.#options;
    let isNeeded = false;
    for (let slot = start; slot < end; slot++) {
      const kind = leaf.kind(slot);
      if (kind !== recordKind.document && !(kind === recordKind.tombstone && withTombstones)) continue;
      const path = leaf.name(slot).toString('utf8', this.#archiveRootBytes);
      if (wants && !wants(path)) continue;
      isNeeded = true;
      this.#filling.paths.push(path);
      if (this.#filling.paths.length >= this.#names) this.#fill();
    }
    if (!isNeeded) return true;
    this.#passing.push(next.value);
    if (++this.#filling.parts >= partsOfBatch) this.#fill();
    return true;
  }

  /** What was gathered is asked for when its turn comes near. */
  #fill(): void {
    if (this.#filling.paths.length > 0) this.#batches.push(this.#filling);
    this.#filling = newBatch();
  }

  #ask(paths: readonly string[]): Promise<Got> {
    const { readTime, signal } = this.#options;
    const maxBytes = paths.length === 1 ? Number.POSITIVE_INFINITY : answerMaxBytes;
    const answer = getWithin(this.#source, paths, { readTime, signal, maxBytes }).then((got) => {
      this.reads += got.reads;
      return got;
    });
    // Whoever waits for it hears of it when its turn comes.
    answer.catch(() => undefined);
    return answer;
  }

  /** The documents of a batch or, if they are too large together, of its first part; the rest of it comes next. */
  async #answerTo({ paths, answer }: Batch): Promise<readonly Uint8Array[]> {
    const { documents } = await (answer ?? this.#ask(paths));
    if (documents) {
      const found = paths.map((path) => documents.get(path)).filter((document) => document !== undefined);
      const bytes = found.reduce((sum, { length }) => sum + length, 1);
      this.#names = Math.min(namesMax, Math.max(1, Math.floor((answerMaxBytes / 2 / bytes) * paths.length)));
      return found;
    }
    const half = Math.ceil(paths.length / 2);
    this.#names = Math.max(1, half >> 1);
    this.#batches.unshift({ ...newBatch(), paths: paths.slice(half) });
    return this.#answerTo({ ...newBatch(), paths: paths.slice(0, half) });
  }
}

/** Names that ascend, in one request. */
interface Batch {
  readonly paths: string[];
  /** Parts of the archive that they are of. */
  parts: number;
  /** Undefined until it is asked for. */
  answer: Promise<Got> | undefined;
}

const newBatch = (): Batch => ({ paths: [], parts: 0, answer: undefined });
