import { type FrameBuffer, headerBytes } from '../grpc/frame-buffer.ts';
import { type RawDocument, ResponseSkim } from '../wire/response-skim.ts';

/** Numbers stored per document. */
const width = 8;

/** A batch of documents in name order. Its memory is reused: a batch is valid until the next one is requested. */
export class DocumentBatch {
  /** The bytes of all documents, each from its `start` to its `end`. */
  bytes: Buffer = Buffer.alloc(0);
  count = 0;
  /** Total size of the encoded documents. */
  documentBytes = 0;
  readonly #skim = new ResponseSkim();
  #marks = new Float64Array(1_024 * width);

  /** Fills `into` with the position of a document; it can be reused. */
  at(index: number, into: RawDocument = new ResponseSkim()): RawDocument {
    const marks = this.#marks;
    const i = this.#offsetOf(index);
    into.start = marks[i] ?? 0;
    into.end = marks[i + 1] ?? 0;
    into.nameStart = marks[i + 2] ?? 0;
    into.nameEnd = marks[i + 3] ?? 0;
    into.createdSeconds = marks[i + 4] ?? 0;
    into.createdNanos = marks[i + 5] ?? 0;
    into.updatedSeconds = marks[i + 6] ?? 0;
    into.updatedNanos = marks[i + 7] ?? 0;
    return into;
  }

  nameStart(index: number): number {
    return this.#marks[this.#offsetOf(index) + 2] ?? 0;
  }

  nameEnd(index: number): number {
    return this.#marks[this.#offsetOf(index) + 3] ?? 0;
  }

  /** The full name of a document. */
  nameBytes(index: number): Buffer {
    return this.bytes.subarray(this.nameStart(index), this.nameEnd(index));
  }

  /** The encoded document. */
  document(index: number): Buffer {
    const { start, end } = this.at(index);
    return this.bytes.subarray(start, end);
  }

  /** Loads the documents of all complete messages; returns where the incomplete rest starts. */
  load(buffer: FrameBuffer): number {
    const skim = this.#skim;
    const { bytes } = buffer;
    this.bytes = bytes;
    this.count = this.documentBytes = 0;
    let at = 0;
    for (let end = buffer.frameEnd(at); end !== undefined; end = buffer.frameEnd(at)) {
      if (skim.find(bytes, at + headerBytes, end)) this.#add(skim);
      at = end;
    }
    return at;
  }

  /** Begins a batch of documents that come from no response: `add` names each of them in these bytes. */
  begin(bytes: Buffer): void {
    this.bytes = bytes;
    this.count = this.documentBytes = 0;
  }

  /** Adds the encoded document between two positions. */
  add(start: number, end: number): void {
    this.#skim.read(this.bytes, start, end);
    this.#add(this.#skim);
  }

  /** Keeps only the first `count` documents. */
  keep(count: number): void {
    const marks = this.#marks;
    for (let i = count * width; i < this.count * width; i += width) this.documentBytes -= (marks[i + 1] ?? 0) - (marks[i] ?? 0);
    this.count = count;
  }

  #offsetOf(index: number): number {
    if (index < 0 || index >= this.count) throw new RangeError(`document ${index} does not exist in the batch`);
    return index * width;
  }

  #add(skim: RawDocument): void {
    const i = this.count * width;
    if (i === this.#marks.length) {
      const larger = new Float64Array(2 * i);
      larger.set(this.#marks);
      this.#marks = larger;
    }
    const marks = this.#marks;
    marks[i] = skim.start;
    marks[i + 1] = skim.end;
    marks[i + 2] = skim.nameStart;
    marks[i + 3] = skim.nameEnd;
    marks[i + 4] = skim.createdSeconds;
    marks[i + 5] = skim.createdNanos;
    marks[i + 6] = skim.updatedSeconds;
    marks[i + 7] = skim.updatedNanos;
    this.count += 1;
    this.documentBytes += skim.end - skim.start;
  }
}
