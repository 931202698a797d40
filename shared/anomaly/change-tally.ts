/** Counts changes by collection while documents pass, and looks into some of them. Memory is bounded; nothing is decoded. */
import { type DocumentMarks, DocumentSkim, type ProtobufTimestamp } from '../archive/index.ts';
import { DocumentContent } from './document-content.ts';
import {
  type CollectionStatistics,
  emptyStatistics,
  encodeStatistics,
  restId,
  type Sample,
  type StatisticsByCollection,
} from './statistics.ts';

/** Collections that are counted one by one, and names of fields that are counted in each. */
const collectionsMax = 500;
const fieldsMax = 48;
const fieldNameMax = 100;
/** After so many documents of a class and collection were looked at, only every second one is, then every fourth, and so on. */
const budgets = { ofUnchanged: 256, ofChanged: 2_048, ofAdded: 256 } as const;
type SampleClass = keyof typeof budgets;
/** The item of a part also has its pages and collections. */
const encodedBytesMax = 48 << 10;

interface Tracked {
  readonly statistics: CollectionStatistics;
  /** The documents of each class that were looked at at the current rate, and how often the rate was halved. */
  readonly taken: Record<SampleClass, number>;
  readonly halvings: Record<SampleClass, number>;
}

interface ObservedBatch {
  readonly bytes: Buffer;
  readonly count: number;
  readonly at: (index: number, into: DocumentSkim) => unknown;
}

export class ChangeTally {
  /** Documents, by collection id. */
  readonly statistics: StatisticsByCollection = new Map();
  readonly #since: ProtobufTimestamp | undefined;
  readonly #content = new DocumentContent();
  readonly #tracked = new Map<string, Tracked>();
  readonly #marks = new DocumentSkim();
  #id = Buffer.alloc(0);
  #current: Tracked | undefined;

  /** `since`: the moment of the backup that this one is compared with, if there is one. */
  constructor(since: ProtobufTimestamp | undefined) {
    this.#since = since;
  }

  /** All documents of a batch. */
  observeAll(batch: ObservedBatch): void {
    const marks = this.#marks;
    for (let i = 0; i < batch.count; i++) {
      batch.at(i, marks);
      this.observe(batch.bytes, marks.start, marks.end, marks);
    }
  }

  /** A document, from `start` to `end`. The time to look into one is spent on changed documents first. */
  observe(bytes: Buffer, start: number, end: number, marks: DocumentMarks): void {
    const tracked = this.#collection(bytes, marks);
    const { statistics } = tracked;
    statistics.documents += 1;
    const kind = this.#classOf(marks);
    if (kind === 'ofAdded') statistics.added += 1;
    else if (kind === 'ofChanged') statistics.changed += 1;
    const halvings = tracked.halvings[kind];
    if (halvings > 0 && !isChosen(bytes, marks.nameEnd, halvings)) return;
    this.#content.read(bytes, start, end);
    addChosen(tracked, kind, this.#content, 1);
  }

  /** A document that was observed, or counted by others, is none any more. */
  forget(name: Uint8Array): void {
    this.#collection(asBuffer(name), { nameStart: 0, nameEnd: name.length }).statistics.documents -= 1;
  }

  /** May look into a document that others count. It stands for so many that did not change. */
  sample(bytes: Buffer, marks: DocumentSkim, weight: number): void {
    const tracked = this.#collection(bytes, marks);
    const halvings = tracked.halvings.ofUnchanged;
    if (halvings > 0 && !isChosen(bytes, marks.nameEnd, halvings)) return;
    this.#content.read(bytes, marks.start, marks.end);
    addChosen(tracked, 'ofUnchanged', this.#content, weight);
  }

  /** Bounded JSON text. */
  encode(): string {
    return encodeStatistics(this.statistics, encodedBytesMax);
  }

  #classOf({ createdSeconds, createdNanos, updatedSeconds, updatedNanos }: DocumentMarks): SampleClass {
    const since = this.#since;
    if (!since) return 'ofUnchanged';
    if (createdSeconds > since.seconds || (createdSeconds === since.seconds && createdNanos > since.nanos)) return 'ofAdded';
    return updatedSeconds > since.seconds || (updatedSeconds === since.seconds && updatedNanos > since.nanos)
      ? 'ofChanged'
      : 'ofUnchanged';
  }

  #collection(bytes: Buffer, { nameStart, nameEnd }: Pick<DocumentMarks, 'nameStart' | 'nameEnd'>): Tracked {
    let end = nameEnd;
    while (end > nameStart && bytes[end - 1] !== slash) end--;
    let start = --end;
    while (start > nameStart && bytes[start - 1] !== slash) start--;
    if (this.#current && isSame(this.#id, bytes, start, end)) return this.#current;
    this.#id = Buffer.from(bytes.subarray(start, end));
    this.#current = this.#track(this.#id.toString());
    return this.#current;
  }

  #track(wanted: string): Tracked {
    const id = this.#tracked.has(wanted) || this.#tracked.size < collectionsMax ? wanted : restId;
    const known = this.#tracked.get(id);
    if (known) return known;
    const statistics = emptyStatistics();
    const zero = { ofUnchanged: 0, ofChanged: 0, ofAdded: 0 };
    const tracked = { statistics, taken: { ...zero }, halvings: { ...zero } };
    this.#tracked.set(id, tracked);
    this.statistics.set(id, statistics);
    return tracked;
  }
}

const slash = 0x2f;

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const isSame = (id: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean => {
  if (id.length !== end - start) return false;
  for (let i = 0; i < id.length; i++) if (id[i] !== bytes[start + i]) return false;
  return true;
};

/** The same documents in every run: by a hash of the end of the name. */
const isChosen = (bytes: Uint8Array, nameEnd: number, halvings: number): boolean => {
  let hash = 0x811c9dc5;
  for (let at = Math.max(0, nameEnd - 24); at < nameEnd; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) & (2 ** Math.min(halvings, 30) - 1)) === 0;
};

/** Of many documents that were chosen, the next ones are chosen half as often. */
const addChosen = (
  { statistics, taken, halvings }: Tracked,
  kind: SampleClass,
  content: DocumentContent,
  weight: number,
): void => {
  addTo(statistics[kind], content, weight * 2 ** halvings[kind]);
  taken[kind] += 1;
  if (taken[kind] < budgets[kind]) return;
  taken[kind] = 0;
  halvings[kind] += 1;
};

const addTo = (sample: Sample, { fields, textBytes, bits }: DocumentContent, weight: number): void => {
  sample.documents += weight;
  sample.examined += 1;
  sample.textBytes += weight * textBytes;
  if (textBytes > 0) {
    sample.bits += weight * bits;
    sample.withText += weight;
  }
  for (const { name, isOpaque } of fields) {
    let counts = sample.fields.get(name);
    if (!counts) {
      if (sample.fields.size >= fieldsMax || name.length > fieldNameMax) continue;
      counts = { present: 0, opaque: 0 };
      sample.fields.set(name, counts);
    }
    counts.present += weight;
    if (isOpaque) counts.opaque += weight;
  }
};
