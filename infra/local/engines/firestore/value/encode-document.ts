import type { Micros } from '../base/types.ts';
import { WireReader } from '../proto/wire-reader.ts';
import { varintSize } from '../proto/wire-writer.ts';
import { readTimestampMicros, second } from './timestamps.ts';

/** The size of the encoded Document. */
export const documentSize = (nameBytes: number, fieldsBytes: number, created: Micros, updated: Micros): number =>
  1 + varintSize(nameBytes) + nameBytes + fieldsBytes + timeSize(created) + timeSize(updated);

/** Encodes a google.firestore.v1.Document: name (in two parts), fields, create_time, update_time. */
export const writeDocument = (
  buffer: Buffer,
  offset: number,
  namePrefix: Buffer,
  path: string,
  pathBytes: number,
  fields: Uint8Array,
  created: Micros,
  updated: Micros,
): void => {
  let at = offset;
  buffer[at++] = 0x0a;
  at = writeVarint(buffer, at, namePrefix.length + pathBytes);
  buffer.set(namePrefix, at);
  at += namePrefix.length;
  at += buffer.write(path, at, pathBytes, 'utf8');
  buffer.set(fields, at);
  at = writeTime(buffer, at + fields.length, 0x1a, created);
  writeTime(buffer, at, 0x22, updated);
};

/** Name and times of a stored Document. */
export const readDocumentHead = (bytes: Uint8Array): { name: string; created: Micros; updated: Micros } => {
  const reader = new WireReader(bytes);
  let name = '';
  let created = 0;
  let updated = 0;
  while (reader.next()) {
    if (reader.field === 1) name = reader.text();
    else if (reader.field === 3) created = readTimestampMicros(reader.inner());
    else if (reader.field === 4) updated = readTimestampMicros(reader.inner());
  }
  return { name, created, updated };
};

/** The encoded fields of a stored Document, which are contiguous. */
export const documentFields = (bytes: Uint8Array): Uint8Array => {
  const reader = new WireReader(bytes);
  let start = -1;
  let stop = 0;
  while (reader.next()) {
    if (reader.field === 2) {
      if (start < 0) start = reader.tagStart;
      stop = reader.stop;
    } else if (reader.field > 2) break;
  }
  return start < 0 ? bytes.subarray(0, 0) : bytes.subarray(start, stop);
};

// Tag, length, and inside seconds and nanoseconds, each with a tag unless zero.
const timeSize = (time: Micros): number => 2 + timeContentSize(time);

const timeContentSize = (time: Micros): number => {
  const seconds = Math.floor(time / second);
  const nanos = (time - seconds * second) * 1000;
  return (seconds === 0 ? 0 : 1 + varintSize(seconds)) + (nanos === 0 ? 0 : 1 + varintSize(nanos));
};

const writeTime = (buffer: Buffer, offset: number, tag: number, time: Micros): number => {
  const seconds = Math.floor(time / second);
  const nanos = (time - seconds * second) * 1000;
  let at = offset;
  buffer[at++] = tag;
  buffer[at++] = timeContentSize(time);
  if (seconds !== 0) {
    buffer[at++] = 0x08;
    at = writeVarint(buffer, at, seconds);
  }
  if (nanos !== 0) {
    buffer[at++] = 0x10;
    at = writeVarint(buffer, at, nanos);
  }
  return at;
};

const writeVarint = (buffer: Buffer, offset: number, value: number): number => {
  let at = offset;
  let rest = value;
  while (rest >= 0x80) {
    buffer[at++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  buffer[at++] = rest;
  return at;
};
