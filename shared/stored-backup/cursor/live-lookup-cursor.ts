import { type Archive, DocumentSkim, recordKind } from '../../archive/index.ts';
import { type FirestoreDatabase, type Got, getWithin } from '../../firestore/index.ts';
import type { ArchivePart } from './archive-cursor.ts';
import type { TargetCursor } from './document-cursor.ts';
import type { LiveReadOptions } from './live-scan-cursor.ts';

/** Names per request: at first, while the size of the documents is unknown, and at most. */
const namesFirst = 100;
const namesMax = 300;
/** Requests in flight, to hide the round-trip time. */
const aheadMax = 4;
/** Leaves held for the archive cursor while their lookups are in flight. */
const partsMax = 24;
const partsOfBatch = 8;
/** Limit of one response; the number of names per request aims at half of it. */
const answerMaxBytes = 8 << 20;

export interface LookupOptions extends LiveReadOptions {
  readonly withTombstones: boolean;
  /** Selects the names to look up; the archive cursor need not see the others. */
  readonly wants?: ((path: string) => boolean) | undefined;
}

/**
 * Looks up only those documents of the database that an archive names; each lookup is billed as a read. The parts of the archive
 * pass through here on their way to the archive cursor, so that they are fetched once.
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
  readonly #held: ArchivePart[] = [];
  readonly #batches: Batch[] = [];
  #filling: Batch = newBatch();
  #names = namesFirst;
  #documents: readonly Uint8Array[] = [];
  #index = 0;

  constructor(source: FirestoreDatabase, archive: Archive, options: LookupOptions) {
    this.#source = source;
    this.#options = options;
    this.#rootBytes = Buffer.byteLength(source.root) + 1;
    this.#archiveRootBytes = Buffer.byteLength(archive.documentsRoot);
  }

  /** Pass this to the archive cursor. */
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
      for (const batch of this.#batches.slice(0, aheadMax)) batch.answer ??= this.#lookUp(batch.paths);
      const batch = this.#batches.shift();
      this.#index = -1;
      if (!batch) break;
      this.#documents = await this.#documentsOf(batch);
      if (this.step()) return;
    }
    this.#documents = [];
    this.name = undefined;
  }

  get #wantsMore(): boolean {
    return this.#batches.length === 0 || (this.#batches.length < aheadMax && this.#held.length < partsMax);
  }

  document(): Uint8Array {
    const document = this.#documents[this.#index];
    if (!document) throw new RangeError('the cursor is not at a document');
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
        while (this.#held.length === 0) if (!(await this.#pull())) return;
        const part = this.#held.shift();
        if (part) yield part;
      }
    } finally {
      await parts.return();
    }
  }

  /** Reads one more part; false if there is none. */
  async #pull(): Promise<boolean> {
    const next = await this.#parts?.next();
    if (!next || next.done) {
      this.#flush();
      return false;
    }
    const { leaf, start, end } = next.value;
    const { withTombstones, wants } = this.#options;
    let isNeeded = false;
    for (let slot = start; slot < end; slot++) {
      const kind = leaf.kind(slot);
      // Not looked up, but the archive cursor counts it.
      if (kind === recordKind.erased) isNeeded = true;
      if (kind !== recordKind.document && !(kind === recordKind.tombstone && withTombstones)) continue;
      const path = leaf.name(slot).toString('utf8', this.#archiveRootBytes);
      if (wants && !wants(path)) continue;
      isNeeded = true;
      this.#filling.paths.push(path);
      if (this.#filling.paths.length >= this.#names) this.#flush();
    }
    if (!isNeeded) return true;
    this.#held.push(next.value);
    if (++this.#filling.parts >= partsOfBatch) this.#flush();
    return true;
  }

  /** Completes the current batch; its request is sent when it comes near. */
  #flush(): void {
    if (this.#filling.paths.length > 0) this.#batches.push(this.#filling);
    this.#filling = newBatch();
  }

  #lookUp(paths: readonly string[]): Promise<Got> {
    const { readTime, signal } = this.#options;
    const maxBytes = paths.length === 1 ? Number.POSITIVE_INFINITY : answerMaxBytes;
    const answer = getWithin(this.#source, paths, { readTime, signal, maxBytes }).then((got) => {
      this.reads += got.reads;
      return got;
    });
    // The error surfaces when the batch is awaited.
    answer.catch(() => undefined);
    return answer;
  }

  /** The documents of a batch or, if they are too large together, of its first half; the rest becomes the next batch. */
  async #documentsOf({ paths, answer }: Batch): Promise<readonly Uint8Array[]> {
    const { documents } = await (answer ?? this.#lookUp(paths));
    if (documents) {
      const found = paths.map((path) => documents.get(path)).filter((document) => document !== undefined);
      const bytes = found.reduce((sum, { length }) => sum + length, 1);
      this.#names = Math.min(namesMax, Math.max(1, Math.floor((answerMaxBytes / 2 / bytes) * paths.length)));
      return found;
    }
    const half = Math.ceil(paths.length / 2);
    this.#names = Math.max(1, half >> 1);
    this.#batches.unshift({ ...newBatch(), paths: paths.slice(half) });
    return this.#documentsOf({ ...newBatch(), paths: paths.slice(0, half) });
  }
}

/** The names of one request, in ascending order. */
interface Batch {
  readonly paths: string[];
  parts: number;
  /** Undefined until the request is sent. */
  answer: Promise<Got> | undefined;
}

const newBatch = (): Batch => ({ paths: [], parts: 0, answer: undefined });
