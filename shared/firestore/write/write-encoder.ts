import { fieldMask } from '../document/field-mask.ts';
import { ByteWriter, varintBytes } from '../wire/byte-writer.ts';
import { broken, MessageReader } from '../wire/message-reader.ts';
import { addCondition, type Condition, conditionBytes } from './precondition.ts';

/** What a write does to an existing document: replace it, keep it, change the given fields, or delete it. */
export type WriteMode = 'overwrite' | 'skip_existing' | 'merge' | 'delete';

/** Tags of length-delimited fields. */
const tag = { writes: 0x12, update: 0x0a, delete: 0x12, mask: 0x1a, fieldPath: 0x0a } as const;

/**
 * Encodes one write at a time as a field of google.firestore.v1.BatchWriteRequest; valid until the next one. Document bytes are
 * passed on unchanged except for createTime and updateTime, which cannot be set.
 */
export class WriteEncoder {
  mode: WriteMode = 'overwrite';
  condition: Condition | undefined;
  readonly sink = new ByteWriter(4_096);
  /** Position of the encoded document, or of the name for a delete. */
  documentStart = 0;
  documentEnd = 0;
  nameStart = 0;
  nameEnd = 0;
  readonly #mask = new ByteWriter(1_024);
  /** Parts of the document to pass on: pairs of start and end. */
  readonly #runs: number[] = [];

  /** Unconditional without a condition; `skip_existing` requires the document to be absent. */
  put(document: Uint8Array, mode: Exclude<WriteMode, 'delete'>, condition?: Condition): void {
    this.mode = mode;
    this.condition = mode === 'skip_existing' ? 'absent' : condition;
    const size = this.#scan(document);
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
      // Also if empty: an empty mask creates the document and changes no field.
      sink.varint(tag.mask);
      sink.varint(maskSize);
      sink.copy(this.#mask.bytes, 0, maskSize);
    }
    addCondition(sink, this.condition);
  }

  /** `name` is the full name of the document. */
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

  /** Full name of the document. */
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

  /** Finds the name and the parts to pass on; returns their size. */
  #scan(document: Uint8Array): number {
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

/** Field numbers in google.firestore.v1.Document. */
const createTime = 3;
const updateTime = 4;
