import { isStorable, type Moment, maxFieldBytes, writeTimestampField, writeVarint } from './protobuf-timestamp.ts';

/** What the engine knows of an encoded google.firestore.v1.Document; one object serves all documents, so nothing is allocated. */
export interface DocumentMarks {
  /** Where the name's text lies in the bytes given with it. */
  nameStart: number;
  nameEnd: number;
  createdSeconds: number;
  createdNanos: number;
  updatedSeconds: number;
  updatedNanos: number;
}

/** Set in a record's flags for each field that is in the columns and not in the body. */
export const trimmedName = 0x10;
export const trimmedCreated = 0x20;
export const trimmedUpdated = 0x40;

const nameTag = 0x0a;
const createdTag = 0x1a;
const updatedTag = 0x22;
const scratch = Buffer.alloc(maxFieldBytes);

/**
 * Finds what of a document need not be stored in its body because the columns have it: the name field in front, createTime
 * and updateTime at the end. A field is cut only if writing it anew gives the very bytes that stand there, so joining
 * always gives back the document byte for byte, however it was encoded.
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
    if (!this.#cutTail(bytes, updatedTag, marks.updatedSeconds, marks.updatedNanos)) return;
    this.flags |= trimmedUpdated;
    if (!isStorable(marks.createdSeconds, marks.createdNanos)) return;
    if (this.#cutTail(bytes, createdTag, marks.createdSeconds, marks.createdNanos)) this.flags |= trimmedCreated;
  }

  #cutTail(bytes: Uint8Array, tag: number, seconds: number, nanos: number): boolean {
    const start =
      seconds >= 2 ** 28 && seconds < 2 ** 35 && nanos > 0
        ? usualStart(bytes, this.bodyEnd, tag, seconds, nanos)
        : anyStart(bytes, this.bodyEnd, tag, seconds, nanos);
    if (start < this.bodyStart) return false;
    this.bodyEnd = start;
    return true;
  }
}

/** Where the field begins whose one shortest encoding ends at `end`; -1 if other bytes stand there. */
const anyStart = (bytes: Uint8Array, end: number, tag: number, seconds: number, nanos: number): number => {
  const length = writeTimestampField(scratch, 0, tag, seconds, nanos);
  const start = end - length;
  if (start < 0) return -1;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== scratch[i]) return -1;
  return start;
};

/** The same for times from 1978 to 3058 with a fraction, as nearly all are: seconds are five bytes, and nothing is written first. */
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

const noTime: Moment = { seconds: 0, nanos: 0 };

/** The document's own bytes again; the times are wanted only if they were cut. */
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
