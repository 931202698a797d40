import { fieldMask } from '../document/field-mask.ts';
import { ByteWriter, varintBytes } from '../wire/byte-writer.ts';
import { broken, MessageReader } from '../wire/message-reader.ts';
import { addCondition, type Condition, conditionBytes } from './precondition.ts';

/** What a write does to a document that may be there: replace it, leave it, change the given fields of it, or remove it. */
export type WriteMode = 'overwrite' | 'skip_existing' | 'merge' | 'delete';

/** Tags: the number of a field in its message, and that it has a length. */
const tag = { writes: 0x12, update: 0x0a, delete: 0x12, mask: 0x1a, fieldPath: 0x0a } as const;

/**
 * Encodes one write at a time as a field of google.firestore.v1.BatchWriteRequest, until the next one is asked for. A document's
 * bytes are passed on as they are; createTime and updateTime, which nobody can set, are left out.
 */
export class WriteEncoder {
  mode: WriteMode = 'overwrite';
  condition: Condition | undefined;
  readonly sink = new ByteWriter(4_096);
  /** Where the document lies in what was encoded, or of a delete its name. */
  documentStart = 0;
  documentEnd = 0;
  nameStart = 0;
  nameEnd = 0;
  readonly #mask = new ByteWriter(1_024);
  /** What of the document is passed on: pairs of start and end. */
  readonly #runs: number[] = [];

  /** Without a condition it is made whatever is there; to skip what exists is one. */
  put(document: Uint8Array, mode: Exclude<WriteMode, 'delete'>, condition?: Condition): void {
    this.mode = mode;
    this.condition = mode === 'skip_existing' ? 'absent' : condition;
    const size = this.#lookAt(document);
    this.#mask.length = 0;
    if (mode === 'merge') for (const path of fieldMask(document)) this.#mask.text(tag.fieldPath, path);
    const maskSize = this.#mask.length;
    const extra = (mode === 'merge' ? 1 + varintBytes(maskSize) + maskSize : 0) + conditionBytes(this.condition);
    const { sink } = this;
    this.#begin(1 + varintBytes(size) + size + extra);
    sink.varint(tag.update);
    sink.varint(size);
    const [shift, runs] = [this.nameStart, this.#runs];
    this.documentStart = sink.length;
    for (let i = 0; i < runs.length; i += 2) {
      const [start = 0, end = 0] = [runs[i], runs[i + 1]];
      if (start <= shift && shift < end) this.#moveName(sink.length - start);
      sink.copy(document, start, end);
    }
    this.documentEnd = sink.length;
    if (mode === 'merge') {
      // Also when it is empty: a mask of nothing makes the document be there and changes none of its fields.
      sink.varint(tag.mask);
      sink.varint(maskSize);
      sink.copy(this.#mask.bytes, 0, maskSize);
    }
    addCondition(sink, this.condition);
  }

  /** `name` is the document's full name. */
  delete(name: string, condition?: Condition): void {
    this.mode = 'delete';
    this.condition = condition;
    const size = Buffer.byteLength(name);
    this.#begin(1 + varintBytes(size) + size + conditionBytes(condition));
    this.sink.text(tag.delete, name);
    this.nameEnd = this.documentEnd = this.sink.length;
    this.nameStart = this.documentStart = this.sink.length - size;
    addCondition(this.sink, condition);
  }

  /** The document's full name. */
  get name(): string {
    return this.sink.bytes.toString('utf8', this.nameStart, this.nameEnd);
  }

  #begin(size: number): void {
    this.sink.length = 0;
    this.sink.varint(tag.writes);
    this.sink.varint(size);
  }

  #moveName(by: number): void {
    this.nameStart += by;
    this.nameEnd += by;
  }

  /** Finds the document's name and what to pass on of it; answers how much that is. */
  #lookAt(document: Uint8Array): number {
    const reader = new MessageReader(document);
    const end = reader.bytes.length;
    this.nameStart = this.nameEnd = -1;
    this.#runs.length = 0;
    let size = 0;
    let runStart = 0;
    const close = (runEnd: number): void => {
      if (runEnd > runStart) this.#runs.push(runStart, runEnd);
      size += runEnd - runStart;
    };
    for (let start = 0; reader.next(end); start = reader.at) {
      const { field, type } = reader;
      if (type === 2) {
        const stop = reader.stop(end);
        if (field === 1) [this.nameStart, this.nameEnd] = [reader.at, stop];
        reader.at = stop;
      } else reader.skip(end);
      if (field !== createTime && field !== updateTime) continue;
      close(start);
      runStart = reader.at;
    }
    close(end);
    if (this.nameEnd <= this.nameStart) throw broken();
    return size;
  }
}

/** Their numbers in google.firestore.v1.Document. */
const createTime = 3;
const updateTime = 4;
