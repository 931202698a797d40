/** Matches one field of an encoded document with a value, without decoding the other fields. */
import { type ErasureValue, parseMoment } from '../../archive/index.ts';
import { restValue } from '../document/rest-value.ts';
import { MessageReader } from '../wire/message-reader.ts';

/** The field `map_value` of a Value, and the entries of a map. */
const mapField = 6;

/** The segments of a field path: `profile.email`, with backticks around names that contain dots: `` `a.b`.c ``. */
export const fieldSegments = (field: string): readonly string[] | undefined => {
  const segments: string[] = [];
  const pattern = /`((?:[^`\\]|\\.)+)`(?:\.|$)|([^`.]+)(?:\.|$)/gsy;
  for (let at = 0; at < field.length; at = pattern.lastIndex) {
    const match = pattern.exec(field);
    if (!match) return undefined;
    segments.push(match[1]?.replace(/\\(.)/gs, '$1') ?? match[2] ?? '');
  }
  return segments.length > 0 && !field.endsWith('.') ? segments : undefined;
};

/** Finds documents whose field equals a value, as a Firestore query does: 5 equals 5.0, and the order of map keys is ignored. */
export class FieldMatcher {
  readonly #segments: readonly Buffer[];
  readonly #wanted: string;

  /** Throws TypeError if the field path or the value is invalid. */
  constructor(field: string, value: ErasureValue) {
    const segments = fieldSegments(field);
    if (!segments) throw new TypeError('not a field path');
    this.#segments = segments.map((segment) => Buffer.from(segment));
    this.#wanted = valueKey(value);
  }

  /** Whether an encoded google.firestore.v1.Document, with or without its name and times, has the value. */
  matches(document: Uint8Array): boolean {
    const reader = new MessageReader(document);
    return this.#inEntries(reader, reader.bytes.length, { entryField: 2, level: 0 });
  }

  /** Any of several entries of one name may match, although only the last one counts: nothing is shown by mistake. */
  #inEntries(reader: MessageReader, end: number, { entryField, level }: { entryField: number; level: number }): boolean {
    while (reader.next(end)) {
      if (reader.field !== entryField || reader.type !== 2) {
        reader.skip(end);
        continue;
      }
      const stop = reader.stop(end);
      if (this.#inEntry(reader, stop, level)) return true;
      reader.at = stop;
    }
    return false;
  }

  #inEntry(reader: MessageReader, end: number, level: number): boolean {
    const wanted = this.#segments[level];
    let isNamed = false;
    let value: { readonly at: number; readonly stop: number } | undefined;
    while (reader.next(end)) {
      if (reader.type !== 2) {
        reader.skip(end);
        continue;
      }
      const stop = reader.stop(end);
      if (reader.field === 1) isNamed = wanted?.equals(reader.bytes.subarray(reader.at, stop)) ?? false;
      else if (reader.field === 2) value = { at: reader.at, stop };
      reader.at = stop;
    }
    if (!isNamed || !value) return false;
    reader.at = value.at;
    if (level < this.#segments.length - 1) return this.#inMap(reader, value.stop, level + 1);
    return storedKey(restValue(reader, value.stop)) === this.#wanted;
  }

  #inMap(reader: MessageReader, end: number, level: number): boolean {
    while (reader.next(end)) {
      if (reader.field !== mapField || reader.type !== 2) {
        reader.skip(end);
        continue;
      }
      const stop = reader.stop(end);
      if (this.#inEntries(reader, stop, { entryField: 1, level })) return true;
      reader.at = stop;
    }
    return false;
  }
}

/** Undefined for a value of no type, which equals nothing. */
const storedKey = (value: ErasureValue): string | undefined => {
  try {
    return valueKey(value);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
};

/** A text that is the same for equal values. Throws TypeError if the value is not in the REST format. */
export const valueKey = (value: ErasureValue): string => {
  const entries = Object.entries(value);
  const [[kind, content] = []] = entries;
  const key = kind === undefined || entries.length !== 1 ? undefined : keys[kind];
  if (!key) throw new TypeError('must have exactly one key that names its type, such as stringValue');
  return key(content);
};

const expect = (isValid: boolean, kind: string): void => {
  if (!isValid) throw new TypeError(`not a valid ${kind}`);
};

const textOf = (kind: string, content: unknown): string => {
  expect(typeof content === 'string', kind);
  return `${kind}:${JSON.stringify(content)}`;
};

/** Integers and doubles of the same number are equal, also beyond 2^53. */
const numberKey = (content: unknown): string => {
  const number = typeof content === 'number' ? content : Number(rawText(content));
  expect(!Number.isNaN(number) || content === 'NaN', 'doubleValue');
  return `number:${Number.isInteger(number) ? BigInt(number) : number}`;
};

/** `-0` is an object that JSON writes as it is. */
const rawText = (content: unknown): string => {
  if (typeof content === 'string') return content.trim() === '' ? 'invalid' : content;
  return content !== null && typeof content === 'object' ? JSON.stringify(content) : 'invalid';
};

const integerKey = (content: unknown): string => {
  const text = typeof content === 'number' ? String(content) : content;
  expect(typeof text === 'string' && /^-?\d{1,19}$/.test(text), 'integerValue');
  return `number:${BigInt(text as string)}`;
};

const timeKey = (content: unknown): string => {
  expect(typeof content === 'string', 'timestampValue');
  const { seconds, nanos } = parseMoment(content as string);
  expect(Number.isFinite(seconds), 'timestampValue');
  return `timestamp:${seconds}.${nanos}`;
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapKey = (content: unknown): string => {
  expect(isRecord(content), 'mapValue');
  const { fields = {}, ...others } = content as Record<string, unknown>;
  expect(isRecord(fields) && Object.keys(others).length === 0, 'mapValue');
  const entries = Object.entries(fields as Record<string, ErasureValue>).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map:{${entries.map(([name, value]) => `${JSON.stringify(name)}=${innerKey(value)}`).join(',')}}`;
};

const arrayKey = (content: unknown): string => {
  expect(isRecord(content), 'arrayValue');
  const { values = [], ...others } = content as Record<string, unknown>;
  expect(Array.isArray(values) && Object.keys(others).length === 0, 'arrayValue');
  return `array:[${(values as unknown[]).map(innerKey).join(',')}]`;
};

const innerKey = (value: unknown): string => {
  expect(isRecord(value), 'value');
  return valueKey(value as ErasureValue);
};

const pointKey = (content: unknown): string => {
  expect(isRecord(content), 'geoPointValue');
  const { latitude = 0, longitude = 0 } = content as Record<string, unknown>;
  return `point:${numberKey(latitude)},${numberKey(longitude)}`;
};

const keys: Readonly<Record<string, (content: unknown) => string>> = {
  nullValue: (content) => {
    expect(content === null || content === 'NULL_VALUE', 'nullValue');
    return 'null';
  },
  booleanValue: (content) => {
    expect(typeof content === 'boolean', 'booleanValue');
    return `boolean:${content}`;
  },
  integerValue: integerKey,
  doubleValue: numberKey,
  timestampValue: timeKey,
  stringValue: (content) => textOf('string', content),
  bytesValue: (content) => textOf('bytes', content),
  referenceValue: (content) => textOf('reference', content),
  geoPointValue: pointKey,
  mapValue: mapKey,
  arrayValue: arrayKey,
  // Of a type that this version does not know; equal only to itself.
  unknownValue: (content) => textOf('unknown', content),
};
