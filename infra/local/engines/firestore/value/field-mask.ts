import { WireReader } from '../proto/wire-reader.ts';
import { WireWriter } from '../proto/wire-writer.ts';
import { type FieldPath, parseFieldPath } from './field-path.ts';
import { type Entries, encodeEntries, getField, readEntries, setField } from './map-entries.ts';

/** Decodes a DocumentMask. The document's name is skipped, because every response contains it. */
export const readMask = (mask: Uint8Array): readonly FieldPath[] => {
  const paths: FieldPath[] = [];
  const reader = new WireReader(mask);
  while (reader.next()) {
    if (reader.field !== 1 || reader.type !== 2) continue;
    const path = parseFieldPath(reader.text());
    if (path[0] !== '__name__') paths.push(path);
  }
  return paths;
};

/** The document with only the fields under the given paths; name and times stay. */
export const project = (document: Uint8Array, paths: readonly FieldPath[]): Uint8Array => {
  const all = readEntries(document, 2);
  const wanted: Entries = new Map();
  for (const path of paths) {
    const value = getField(all, path);
    if (value) setField(wanted, path, value);
  }
  return withFields(document, wanted);
};

/** The document with other fields; name and times stay. */
export const withFields = (document: Uint8Array, fields: Entries): Uint8Array => {
  const encoded = encodeEntries(fields, 2);
  const writer = new WireWriter();
  const reader = new WireReader(document);
  let fieldsWritten = false;
  while (reader.next()) {
    if (reader.field > 2 && !fieldsWritten) {
      writer.raw(encoded);
      fieldsWritten = true;
    }
    if (reader.field !== 2) writer.raw(document.subarray(reader.tagStart, reader.stop));
  }
  return fieldsWritten ? writer.finish() : writer.raw(encoded).finish();
};

/** Applies an update with a mask: fields of the mask are taken from the update, or removed if it lacks them. */
export const applyMask = (current: Entries, update: Entries, paths: readonly FieldPath[]): Entries => {
  const result: Entries = new Map(current);
  for (const path of paths) setField(result, path, getField(update, path));
  return result;
};
