import { broken, type MessageReader } from '../wire/message-reader.ts';

/** A value in REST JSON: an object with one key that names its type. */
export type RestValue = Readonly<Record<string, unknown>>;
export type RestFields = Readonly<Record<string, RestValue>>;

/** Firestore nests 20 levels; deeper input must not exhaust the stack. */
const depthMax = 100;

/**
 * Reads the value that ends at `end`. A value of an unknown type or with unknown parts is kept as `{unknownValue: base64 of the
 * encoded Value}`, so nothing is lost.
 */
export const restValue = (reader: MessageReader, end: number, depth = 0): RestValue => {
  if (depth > depthMax) throw broken();
  const start = reader.at;
  let value: RestValue = {};
  while (reader.next(end)) {
    const read = kinds.get(reader.field);
    const found = read && reader.type === read.type ? read.of(reader, end, depth) : undefined;
    if (!found) {
      reader.at = start;
      return { unknownValue: reader.base64(end) };
    }
    // The last of several value types wins, as in protobuf.
    value = found;
  }
  return value;
};

/** Adds an entry of a field map. Any name becomes an own property, including `__proto__`. */
export const addEntry = (
  fields: Record<string, RestValue>,
  { reader, end, depth }: { readonly reader: MessageReader; readonly end: number; readonly depth: number },
): boolean => {
  let name = '';
  let value: RestValue = {};
  while (reader.next(end)) {
    if (reader.type !== 2 || reader.field > 2) return false;
    const stop = reader.stop(end);
    if (reader.field === 1) name = reader.text(stop);
    else value = restValue(reader, stop, depth);
  }
  fields[name] = value;
  return true;
};

/** Without a prototype, so that no field name has a special meaning. */
export const noFields = (): Record<string, RestValue> => Object.create(null) as Record<string, RestValue>;

/** RFC 3339 with 0, 3, 6 or 9 fractional digits; undefined if the message has unknown parts. */
export const restTime = (reader: MessageReader, end: number): string | undefined => {
  let seconds = 0;
  let nanos = 0;
  while (reader.next(end)) {
    if (reader.type !== 0 || reader.field > 2) return undefined;
    const number = Number(reader.int64(end));
    if (reader.field === 1) seconds = number;
    else nanos = number;
  }
  if (!(seconds >= firstSecond && seconds <= lastSecond && nanos >= 0 && nanos < 1e9)) return undefined;
  return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}${digits(nanos)}Z`;
};

/** The range of the type: years 1 to 9999. */
const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;

const digits = (nanos: number): string => {
  if (nanos === 0) return '';
  const text = String(nanos).padStart(9, '0');
  return `.${text.endsWith('000000') ? text.slice(0, 3) : text.endsWith('000') ? text.slice(0, 6) : text}`;
};

/** Makes `JSON.stringify` write `-0`. TypeScript has no type for `rawJSON` yet, and Node 20 lacks it: there the command line keeps the sign. */
const minusZero = (JSON as unknown as { rawJSON?(text: string): unknown }).rawJSON?.('-0') ?? -0;

/** JSON has no representation of non-finite numbers. */
const restDouble = (value: number): unknown =>
  Object.is(value, -0) ? minusZero : Number.isFinite(value) ? value : String(value);

const mapOf = (reader: MessageReader, end: number, depth: number): RestValue | undefined => {
  const fields = noFields();
  let count = 0;
  for (; reader.next(end); count++) {
    if (reader.field !== 1 || reader.type !== 2) return undefined;
    if (!addEntry(fields, { reader, end: reader.stop(end), depth: depth + 1 })) return undefined;
  }
  return count === 0 ? {} : { fields };
};

const arrayOf = (reader: MessageReader, end: number, depth: number): RestValue | undefined => {
  const values: RestValue[] = [];
  while (reader.next(end)) {
    if (reader.field !== 1 || reader.type !== 2) return undefined;
    values.push(restValue(reader, reader.stop(end), depth + 1));
  }
  return values.length === 0 ? {} : { values };
};

/** Default values are omitted, as in all REST messages. */
const pointOf = (reader: MessageReader, end: number): RestValue | undefined => {
  const point: Record<string, unknown> = {};
  while (reader.next(end)) {
    if (reader.type !== 1 || reader.field > 2) return undefined;
    const value = reader.double(end);
    const name = reader.field === 1 ? 'latitude' : 'longitude';
    if (Object.is(value, 0)) delete point[name];
    else point[name] = restDouble(value);
  }
  return point;
};

const nothing = (_: number): null => null;

interface Kind {
  readonly type: number;
  readonly of: (reader: MessageReader, end: number, depth: number) => RestValue | undefined;
}

const scalar = (type: number, name: string, read: (reader: MessageReader, end: number) => unknown): Kind => ({
  type,
  of: (reader, end) => ({ [name]: read(reader, end) }),
});
const message = (name: string, read: (reader: MessageReader, end: number, depth: number) => unknown): Kind => ({
  type: 2,
  of: (reader, end, depth) => {
    const found = read(reader, reader.stop(end), depth);
    return found === undefined ? undefined : { [name]: found };
  },
});

/** Keyed by field number in google.firestore.v1.Value. */
const kinds: ReadonlyMap<number, Kind> = new Map([
  [1, scalar(0, 'booleanValue', (reader, end) => reader.number(end) !== 0)],
  [2, scalar(0, 'integerValue', (reader, end) => reader.int64(end))],
  [3, scalar(1, 'doubleValue', (reader, end) => restDouble(reader.double(end)))],
  [5, message('referenceValue', (reader, stop) => reader.text(stop))],
  [6, message('mapValue', mapOf)],
  [8, message('geoPointValue', pointOf)],
  [9, message('arrayValue', arrayOf)],
  [10, message('timestampValue', restTime)],
  [11, scalar(0, 'nullValue', (reader, end) => nothing(reader.number(end)))],
  [17, message('stringValue', (reader, stop) => reader.text(stop))],
  [18, message('bytesValue', (reader, stop) => reader.base64(stop))],
]);
