import { WireReader } from '../proto/wire-reader.ts';
import { WireWriter } from '../proto/wire-writer.ts';
import type { FieldPath } from './field-path.ts';
import { eachEntry, valueField } from './value.ts';

/** The fields of a document or a map, with encoded values. The last of several equal names wins. */
export type Entries = Map<string, Uint8Array>;

/** Fields of a Document have number 2, those of a MapValue 1. */
type EntryField = 1 | 2;

export const readEntries = (bytes: Uint8Array, field: EntryField): Entries => {
  const entries: Entries = new Map();
  eachEntry(bytes, 0, bytes.length, field, (name, start, stop) => entries.set(name, bytes.subarray(start, stop)));
  return entries;
};

/** The encoded fields, each with its tag. */
export const encodeEntries = (entries: Entries, field: EntryField): Buffer => {
  const writer = new WireWriter();
  for (const [name, value] of entries) writer.field(field, new WireWriter().field(1, name).field(2, value).finish());
  return writer.finish();
};

/** Sets a value at a path, or removes it. Missing maps on the way are created, and other values are replaced by maps. */
export const setField = (entries: Entries, path: FieldPath, value: Uint8Array | undefined): void => {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    if (value) entries.set(name, value);
    else entries.delete(name);
    return;
  }
  const inner = mapEntries(entries.get(name));
  // Nothing to remove below a value that is not a map.
  if (!inner && !value) return;
  const map = inner ?? new Map();
  setField(map, rest, value);
  entries.set(name, encodeMap(map));
};

/** The encoded value at a path. */
export const getField = (entries: Entries, path: FieldPath): Uint8Array | undefined => {
  const [name, ...rest] = path;
  const value = name === undefined ? undefined : entries.get(name);
  if (!value || rest.length === 0) return value;
  const inner = mapEntries(value);
  return inner && getField(inner, rest);
};

/** The fields of a map value. */
export const mapEntries = (value: Uint8Array | undefined): Entries | undefined => {
  if (!value) return undefined;
  const reader = new WireReader(value);
  let map: Uint8Array | undefined;
  while (reader.next()) map = reader.field === valueField.map && reader.type === 2 ? reader.slice() : undefined;
  return map && readEntries(map, 1);
};

/** An encoded Value holding a map. */
export const encodeMap = (entries: Entries): Buffer => new WireWriter().field(valueField.map, encodeEntries(entries, 1)).finish();
