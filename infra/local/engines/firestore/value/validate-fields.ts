import { WireReader } from '../proto/wire-reader.ts';
import { WireWriter } from '../proto/wire-writer.ts';
import { FieldWalk } from './field-walk.ts';
import { type Entries, encodeEntries, encodeMap, mapEntries, readEntries } from './map-entries.ts';
import { cutTimestamp } from './timestamps.ts';
import { valueField } from './value.ts';

/** Validated fields of a document. */
export interface CheckedFields {
  /** The encoded fields, unchanged wherever possible. */
  readonly bytes: Uint8Array;
  /** Their part of the document's size, by the service's formula. */
  readonly size: number;
}

/** Validates and measures the fields (number 2) of an encoded Document; throws with production's messages. */
export const checkFields = (document: Uint8Array): CheckedFields => {
  const walk = new FieldWalk();
  const names = new Set<string>();
  const reader = new WireReader(document);
  let start = -1;
  let stop = -1;
  let split = false;
  while (reader.next()) {
    if (reader.field !== 2 || reader.type !== 2) continue;
    // Adjacent fields form one slice of the request.
    if (start < 0) start = reader.tagStart;
    else if (stop !== reader.tagStart) split = true;
    stop = reader.stop;
    walk.entry(reader.inner(), names, '', 0);
  }
  if (start < 0) return { bytes: new Uint8Array(), size: 0 };
  if (!split && !walk.mustRewrite) return { bytes: document.subarray(start, stop), size: walk.size };
  return checkNormal(readEntries(document, 2));
};

/** Validates fields that a mask or a transform produced. */
export const checkEntries = (entries: Entries): CheckedFields => checkFields(encodeEntries(entries, 2));

/** Validates a single value, such as the operand of a transform, and returns its stored form. */
export const checkValue = (value: Uint8Array, property: string, inArray = false): Uint8Array => {
  const walk = new FieldWalk();
  walk.value(new WireReader(value), property, inArray ? 1 : 0, inArray);
  return walk.mustRewrite ? normalizeValue(value) : value;
};

const checkNormal = (entries: Entries): CheckedFields => {
  for (const [name, value] of entries) entries.set(name, normalizeValue(value));
  const bytes = encodeEntries(entries, 2);
  const walk = new FieldWalk();
  const names = new Set<string>();
  const reader = new WireReader(bytes);
  while (reader.next()) walk.entry(reader.inner(), names, '', 0);
  return { bytes, size: walk.size };
};

/** An encoded Value as the service stores it: timestamps truncated to microseconds, unique names in maps. */
const normalizeValue = (value: Uint8Array): Uint8Array => {
  const reader = new WireReader(value);
  let result = value;
  while (reader.next()) {
    if (reader.field === valueField.timestamp)
      result = new WireWriter().field(valueField.timestamp, cutTimestamp(reader.inner())).finish();
    else if (reader.field === valueField.array) result = normalizeArray(reader.inner());
    else if (reader.field === valueField.map) {
      const entries = mapEntries(value.subarray(reader.tagStart, reader.stop)) ?? new Map<string, Uint8Array>();
      for (const [name, inner] of entries) entries.set(name, normalizeValue(inner));
      result = encodeMap(entries);
    } else result = value.subarray(reader.tagStart, reader.stop);
  }
  return result;
};

const normalizeArray = (reader: WireReader): Uint8Array => {
  const values = new WireWriter();
  while (reader.next()) if (reader.field === 1 && reader.type === 2) values.field(1, normalizeValue(reader.slice()));
  return new WireWriter().field(valueField.array, values.finish()).finish();
};
