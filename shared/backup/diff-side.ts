/** Two states of a database, walked side by side in the order of names. */
import { type Archive, compareNames, type Leaf, recordKind, type Segment, streamLeaves } from '../archive/index.ts';
import {
  type DocumentBatch,
  type NameRange,
  type RangeReader,
  type RawDocument,
  readRange,
  type Source,
} from '../firestore/index.ts';

/** One document after the other. `step` moves within what is held and costs nothing; when it is used up, `load` gets more. */
export interface Side {
  /** The path of the document here, below the database; undefined at the end. */
  readonly name: Buffer | undefined;
  readonly seconds: number;
  readonly nanos: number;
  step(): boolean;
  load(): Promise<void>;
  /** The encoded document here. */
  content(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Names and times are read apart from the bodies, which are fetched only where they are asked for. */
export class ArchiveSide implements Side {
  name: Buffer | undefined;
  seconds = 0;
  nanos = 0;
  readonly #archive: Archive;
  readonly #rootBytes: number;
  readonly #parts: AsyncGenerator<Part, void, undefined>;
  #part: Part | undefined;
  #slot = 0;
  #whole: { readonly segment: Segment; readonly leaf: Leaf } | undefined;

  constructor(archive: Archive, scope: readonly NameRange[]) {
    this.#archive = archive;
    this.#rootBytes = Buffer.byteLength(rootOf(archive));
    this.#parts = partsOf(archive, scope);
  }

  step(): boolean {
    const part = this.#part;
    if (!part) return false;
    while (++this.#slot < part.end) if (part.leaf.kind(this.#slot) === recordKind.document) return this.#here(part.leaf);
    return false;
  }

  async load(): Promise<void> {
    for (let next = await this.#parts.next(); !next.done; next = await this.#parts.next()) {
      this.#part = next.value;
      this.#slot = next.value.start - 1;
      if (this.step()) return;
    }
    this.#part = undefined;
    this.name = undefined;
  }

  async content(): Promise<Uint8Array> {
    const segment = this.#part?.segment;
    if (!segment) throw new RangeError('there is no document here');
    if (this.#whole?.segment !== segment) this.#whole = { segment, leaf: await this.#archive.leaf(segment) };
    return this.#whole.leaf.content(this.#slot);
  }

  async close(): Promise<void> {
    await this.#parts.return();
  }

  #here(leaf: Leaf): true {
    const { seconds, nanos } = leaf.updated(this.#slot);
    this.name = leaf.name(this.#slot).subarray(this.#rootBytes);
    this.seconds = seconds;
    this.nanos = nanos;
    return true;
  }
}

/** Slots of a leaf that lie in the scope. */
interface Part {
  readonly segment: Segment;
  readonly leaf: Leaf;
  readonly start: number;
  readonly end: number;
}

export const rootOf = ({ manifest }: Archive): string => `${manifest.source}/documents/`;

async function* partsOf(archive: Archive, scope: readonly NameRange[]): AsyncGenerator<Part, void, undefined> {
  const root = rootOf(archive);
  for (const range of scope) {
    // All documents come after the root itself, and users before.
    const from = Buffer.from(range.from === undefined ? root.slice(0, -1) : root + range.from);
    const to = range.to === undefined ? undefined : Buffer.from(root + range.to);
    for await (const { segment, leaf } of streamLeaves(archive, { from, part: 'keys' })) {
      let [start, end] = [segment.start, segment.start + segment.count];
      while (start < end && compareNames(leaf.name(start), from) < 0) start++;
      const isLast = to !== undefined && compareNames(leaf.name(end - 1), to) >= 0;
      while (to && end > start && compareNames(leaf.name(end - 1), to) >= 0) end--;
      if (start < end) yield { segment, leaf, start, end };
      if (isLast) break;
    }
  }
}

/** The database as it was at the read time. Every document that is sent is billed as a read. */
export class LiveSide implements Side {
  name: Buffer | undefined;
  seconds = 0;
  nanos = 0;
  readonly #rootBytes: number;
  readonly #batches: AsyncGenerator<DocumentBatch, void, undefined>;
  readonly #readers: RangeReader[] = [];
  #batch: DocumentBatch | undefined;
  #index = 0;
  /** One serves for all documents. */
  #marks: RawDocument | undefined;

  constructor(source: Source, scope: readonly NameRange[], at: LiveOptions) {
    this.#rootBytes = Buffer.byteLength(source.root) + 1;
    this.#batches = this.#read(source, scope, at);
  }

  /** What it was billed as so far. */
  get reads(): number {
    return this.#readers.reduce((sum, reader) => sum + reader.reads, 0);
  }

  step(): boolean {
    const batch = this.#batch;
    if (!batch || ++this.#index >= batch.count) return false;
    this.#marks = batch.at(this.#index, this.#marks);
    const { updatedSeconds, updatedNanos, nameStart, nameEnd } = this.#marks;
    this.name = batch.bytes.subarray(nameStart + this.#rootBytes, nameEnd);
    this.seconds = updatedSeconds;
    this.nanos = updatedNanos;
    return true;
  }

  async load(): Promise<void> {
    for (let next = await this.#batches.next(); !next.done; next = await this.#batches.next()) {
      this.#batch = next.value;
      this.#index = -1;
      if (this.step()) return;
    }
    this.#batch = undefined;
    this.name = undefined;
  }

  async content(): Promise<Uint8Array> {
    if (!this.#batch) throw new RangeError('there is no document here');
    return this.#batch.document(this.#index);
  }

  async close(): Promise<void> {
    await this.#batches.return();
  }

  async *#read(source: Source, scope: readonly NameRange[], at: LiveOptions): AsyncGenerator<DocumentBatch, void, undefined> {
    for (const range of scope) {
      const reader = readRange(source, { ...at, range, batchBytes });
      this.#readers.push(reader);
      yield* reader;
    }
  }
}

export interface LiveOptions {
  readonly readTime: string;
  readonly signal: AbortSignal;
}

/** Little beyond what is compared: whatever the source sends is billed. */
const batchBytes = 64 << 10;
