import { WireReader } from '../proto/wire-reader.ts';

/** A google.firestore.v1.Value, decoded for comparison only; it is never encoded again. */
export type Value =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** A number if exact, a bigint beyond ±2^53; `<` compares both with each other and with doubles exactly. */
  | { readonly kind: 'integer'; readonly value: number | bigint }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'timestamp'; readonly seconds: number; readonly nanos: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
  | { readonly kind: 'reference'; readonly value: string }
  | { readonly kind: 'geoPoint'; readonly latitude: number; readonly longitude: number }
  | { readonly kind: 'array'; readonly values: readonly Value[] }
  | { readonly kind: 'vector'; readonly values: readonly Value[] }
  | { readonly kind: 'map'; readonly fields: ReadonlyMap<string, Value> }
  /** No value type, or an unknown one. */
  | { readonly kind: 'unknown'; readonly value: Uint8Array };

export type Kind = Value['kind'];

/** The field numbers of google.firestore.v1.Value. */
export const valueField = {
  boolean: 1,
  integer: 2,
  double: 3,
  reference: 5,
  map: 6,
  geoPoint: 8,
  array: 9,
  timestamp: 10,
  null: 11,
  string: 17,
  bytes: 18,
  fieldReference: 19,
  function: 20,
  pipeline: 21,
  variableReference: 22,
} as const;

/** Decodes a Value. If several value types are set, the last one wins, as in protobuf. */
export const readValue = (bytes: Uint8Array, start = 0, end = bytes.length): Value => {
  const reader = new WireReader(bytes, start, end);
  let value: Value | undefined;
  while (reader.next()) value = readField(reader) ?? value;
  return value ?? { kind: 'unknown', value: bytes.subarray(start, end) };
};

/** The value at a path of an encoded Document; decodes only the path. */
export const lookUp = (document: Uint8Array, path: readonly string[]): Value | undefined => {
  const range = lookUpBytes(document, path);
  return range && readValue(range);
};

/** Like `lookUp`, but returns the encoded Value as a view. */
export const lookUpBytes = (document: Uint8Array, path: readonly string[]): Uint8Array | undefined => {
  let start = 0;
  let end = document.length;
  // Fields of a Document have number 2, those of a MapValue 1.
  let field = 2;
  for (const [i, name] of path.entries()) {
    const found = findEntry(document, start, end, field, name);
    if (!found) return undefined;
    if (i === path.length - 1) return document.subarray(found.start, found.stop);
    const map = findMap(document, found.start, found.stop);
    if (!map) return undefined;
    start = map.start;
    end = map.stop;
    field = 1;
  }
  return undefined;
};

/** The fields of an encoded Document, decoded. */
export const readFields = (document: Uint8Array): ReadonlyMap<string, Value> => readEntries(new WireReader(document), 2);

/** Calls `visit` with the name and the encoded Value's range of each field in an encoded Document or MapValue. */
export const eachEntry = (
  bytes: Uint8Array,
  start: number,
  end: number,
  field: 1 | 2,
  visit: (name: string, valueStart: number, valueStop: number) => void,
): void => {
  const reader = new WireReader(bytes, start, end);
  while (reader.next()) {
    if (reader.field !== field || reader.type !== 2) continue;
    const entry = reader.inner();
    let name = '';
    let from = reader.stop;
    let to = reader.stop;
    while (entry.next()) {
      if (entry.field === 1 && entry.type === 2) name = entry.text();
      else if (entry.field === 2 && entry.type === 2) {
        from = entry.start;
        to = entry.stop;
      }
    }
    visit(name, from, to);
  }
};

const readField = (reader: WireReader): Value | undefined => {
  switch (reader.field) {
    case valueField.null:
      return { kind: 'null' };
    case valueField.boolean:
      return { kind: 'boolean', value: reader.bool() };
    case valueField.integer:
      return { kind: 'integer', value: reader.int64() };
    case valueField.double:
      return { kind: 'double', value: reader.double() };
    case valueField.timestamp:
      return { kind: 'timestamp', ...readTimestamp(reader.inner()) };
    case valueField.string:
      return { kind: 'string', value: reader.text() };
    case valueField.bytes:
      return { kind: 'bytes', value: reader.slice() };
    case valueField.reference:
      return { kind: 'reference', value: reader.text() };
    case valueField.geoPoint:
      return readGeoPoint(reader.inner());
    case valueField.array:
      return { kind: 'array', values: readArray(reader.inner()) };
    case valueField.map:
      return readMap(reader.inner());
    default:
      return undefined;
  }
};

/** Decodes a google.protobuf.Timestamp. */
export const readTimestamp = (reader: WireReader): { seconds: number; nanos: number } => {
  let seconds = 0;
  let nanos = 0;
  while (reader.next()) {
    if (reader.field === 1 && reader.type === 0) seconds = Number(reader.int64());
    else if (reader.field === 2 && reader.type === 0) nanos = Number(reader.int64());
  }
  return { seconds, nanos };
};

const readGeoPoint = (reader: WireReader): Value => {
  let latitude = 0;
  let longitude = 0;
  while (reader.next()) {
    if (reader.field === 1 && reader.type === 1) latitude = reader.double();
    else if (reader.field === 2 && reader.type === 1) longitude = reader.double();
  }
  return { kind: 'geoPoint', latitude, longitude };
};

const readArray = (reader: WireReader): Value[] => {
  const values: Value[] = [];
  while (reader.next())
    if (reader.field === 1 && reader.type === 2) values.push(readValue(reader.bytes, reader.start, reader.stop));
  return values;
};

const readMap = (reader: WireReader): Value => {
  const fields = readEntries(reader, 1);
  const type = fields.get('__type__');
  const vector = type?.kind === 'string' && type.value === '__vector__' ? fields.get('value') : undefined;
  return vector?.kind === 'array' ? { kind: 'vector', values: vector.values } : { kind: 'map', fields };
};

const readEntries = (reader: WireReader, field: 1 | 2): Map<string, Value> => {
  const fields = new Map<string, Value>();
  eachEntry(reader.bytes, reader.at, reader.end, field, (name, start, stop) => {
    fields.set(name, readValue(reader.bytes, start, stop));
  });
  return fields;
};

const findEntry = (bytes: Uint8Array, start: number, end: number, field: number, name: string) => {
  let found: { start: number; stop: number } | undefined;
  const reader = new WireReader(bytes, start, end);
  while (reader.next()) {
    if (reader.field !== field || reader.type !== 2) continue;
    const entry = reader.inner();
    let matches = name === '';
    let value = { start: reader.stop, stop: reader.stop };
    while (entry.next()) {
      if (entry.field === 1 && entry.type === 2) matches = entry.text() === name;
      else if (entry.field === 2 && entry.type === 2) value = { start: entry.start, stop: entry.stop };
    }
    if (matches) found = value;
  }
  return found;
};

const findMap = (bytes: Uint8Array, start: number, end: number) => {
  const reader = new WireReader(bytes, start, end);
  let found: { start: number; stop: number } | undefined;
  while (reader.next())
    if (reader.type === 2 && reader.field === valueField.map) found = { start: reader.start, stop: reader.stop };
  return found;
};
