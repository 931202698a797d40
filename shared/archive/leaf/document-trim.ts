import { isStorable, maxFieldBytes, type ProtobufTimestamp, writeTimestampField, writeVarint } from './protobuf-timestamp.ts';

/** Name position and times of an encoded google.firestore.v1.Document. One object is reused for all documents. */
export interface DocumentMarks {
  /** Position of the name in the accompanying bytes. */
  nameStart: number;
  nameEnd: number;
  createdSeconds: number;
  createdNanos: number;
  updatedSeconds: number;
  updatedNanos: number;
}

/** Record flags: the field is stored in the columns and not in the body. */
export const trimmedName = 0x10;
export const trimmedCreated = 0x20;
export const trimmedUpdated = 0x40;

const nameTag = 0x0a;
const createdTag = 0x1a;
const updatedTag = 0x22;
const scratch = Buffer.alloc(maxFieldBytes);

/**
 * Finds the fields of a document that the columns already hold: the leading name field and the trailing createTime and
 * updateTime. A field is trimmed only if re-encoding it yields the same bytes, so joining restores the document byte for byte.
 */
export class DocumentTrim {
  bodyStart = 0;
  bodyEnd = 0;
  flags = 0;

  trim(bytes: Uint8Array, start: number, end: number, marks: DocumentMarks): void {
    this.flags = 0;
    this.bodyStart = start;
    this.bodyEnd = end;
    if (isNameField(bytes, start, marks)) {
      this.flags |= trimmedName;
      this.bodyStart = marks.nameEnd;
    }
    if (!isStorable(marks.updatedSeconds, marks.updatedNanos)) return;
    if (!this.#trimTail(bytes, updatedTag, marks.updatedSeconds, marks.updatedNanos)) return;
    this.flags |= trimmedUpdated;
    if (!isStorable(marks.createdSeconds, marks.createdNanos)) return;
    if (this.#trimTail(bytes, createdTag, marks.createdSeconds, marks.createdNanos)) this.flags |= trimmedCreated;
  }

  #trimTail(bytes: Uint8Array, tag: number, seconds: number, nanos: number): boolean {
    const start =
      seconds >= 2 ** 28 && seconds < 2 ** 35 && nanos > 0
        ? usualStart(bytes, this.bodyEnd, tag, seconds, nanos)
        : anyStart(bytes, this.bodyEnd, tag, seconds, nanos);
    if (start < this.bodyStart) return false;
    this.bodyEnd = start;
    return true;
  }
}

/** Start of the field whose canonical encoding ends at `end`; -1 if the bytes differ. */
const anyStart = (bytes: Uint8Array, end: number, tag: number, seconds: number, nanos: number): number => {
  const length = writeTimestampField(scratch, 0, tag, seconds, nanos);
  const start = end - length;
  if (start < 0) return -1;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== scratch[i]) return -1;
  return start;
};

/** Fast path of `anyStart` for times from 1978 to 3058 with a fraction: seconds take five bytes and nothing is encoded first. */
const usualStart = (bytes: Uint8Array, end: number, tag: number, seconds: number, nanos: number): number => {
  const width = nanos < 0x80 ? 1 : nanos < 0x4000 ? 2 : nanos < 0x20_0000 ? 3 : nanos < 0x1000_0000 ? 4 : 5;
  const start = end - width - 9;
  if (start < 0 || bytes[start] !== tag || bytes[start + 1] !== width + 7 || bytes[start + 2] !== 0x08) return -1;
  const low = seconds & 0xfff_ffff;
  if (bytes[start + 3] !== ((low & 0x7f) | 0x80) || bytes[start + 4] !== (((low >>> 7) & 0x7f) | 0x80)) return -1;
  if (bytes[start + 5] !== (((low >>> 14) & 0x7f) | 0x80) || bytes[start + 6] !== ((low >>> 21) | 0x80)) return -1;
  if (bytes[start + 7] !== (seconds - low) / 2 ** 28 || bytes[start + 8] !== 0x10) return -1;
  let rest = nanos;
  for (let at = start + 9; at < end - 1; at++, rest >>>= 7) if (bytes[at] !== ((rest & 0x7f) | 0x80)) return -1;
  return bytes[end - 1] === rest ? start : -1;
};

const isNameField = (bytes: Uint8Array, start: number, { nameStart, nameEnd }: DocumentMarks): boolean => {
  const length = writeVarint(scratch, 0, nameEnd - nameStart);
  if (nameStart !== start + 1 + length || bytes[start] !== nameTag) return false;
  for (let i = 0; i < length; i++) if (bytes[start + 1 + i] !== scratch[i]) return false;
  return true;
};

const noTime: ProtobufTimestamp = { seconds: 0, nanos: 0 };

/** Restores the original bytes of a document. The times are used only if they were trimmed. */
export const joinDocument = (flags: number, name: Uint8Array, body: Uint8Array, created = noTime, updated = noTime): Buffer => {
  const out = Buffer.allocUnsafe(1 + 5 + name.length + body.length + 2 * maxFieldBytes);
  let at = 0;
  if (flags & trimmedName) {
    out[at++] = nameTag;
    at = writeVarint(out, at, name.length);
    out.set(name, at);
    at += name.length;
  }
  out.set(body, at);
  at += body.length;
  if (flags & trimmedCreated) at = writeTimestampField(out, at, createdTag, created.seconds, created.nanos);
  if (flags & trimmedUpdated) at = writeTimestampField(out, at, updatedTag, updated.seconds, updated.nanos);
  return out.subarray(0, at);
};

/** The bytes that `joinDocument` adds to a body. */
export const joinedBytes = (flags: number, nameBytes: number, created: ProtobufTimestamp, updated: ProtobufTimestamp): number => {
  const ofName = flags & trimmedName ? 1 + writeVarint(scratch, 0, nameBytes) + nameBytes : 0;
  const ofCreated = flags & trimmedCreated ? writeTimestampField(scratch, 0, createdTag, created.seconds, created.nanos) : 0;
  const ofUpdated = flags & trimmedUpdated ? writeTimestampField(scratch, 0, updatedTag, updated.seconds, updated.nanos) : 0;
  return ofName + ofCreated + ofUpdated;
};
