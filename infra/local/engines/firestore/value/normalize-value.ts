import { WireReader } from '../proto/wire-reader.ts';
import { WireWriter } from '../proto/wire-writer.ts';
import { encodeMap, mapEntries } from './map-entries.ts';
import { cutTimestamp } from './timestamps.ts';
import { valueField } from './value.ts';

/** An encoded Value as the service stores it: timestamps truncated to microseconds, unique names in maps. */
export const normalizeValue = (value: Uint8Array): Uint8Array => {
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
