import type { RestFields, RestValue } from '../firestore/index.ts';

/** A value of a document, with vectors told from other maps. Integers are decimal, bytes base64, times RFC 3339. */
export type ExportValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'integer' | 'timestamp' | 'string' | 'bytes' | 'reference' | 'unknown'; readonly value: string }
  | { readonly kind: 'geoPoint'; readonly latitude: number; readonly longitude: number }
  | { readonly kind: 'vector'; readonly values: readonly number[] }
  | { readonly kind: 'array'; readonly values: readonly RestValue[] }
  | { readonly kind: 'map'; readonly fields: RestFields };

export type ValueKind = ExportValue['kind'];

export const exportValue = (rest: RestValue): ExportValue => {
  for (const type in rest) {
    const read = readers[type];
    if (read) return read(rest[type]);
  }
  // The encoding of a Value without a type: protobuf reads it as null.
  return { kind: 'null' };
};

const text =
  (kind: 'integer' | 'timestamp' | 'string' | 'bytes' | 'reference' | 'unknown') =>
  (value: unknown): ExportValue => ({ kind, value: value as string });

/** JSON has no NaN and no infinities, which are texts, and `-0` may be an object that serializes as such. */
const doubleOf = (value: unknown): number =>
  typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : value === undefined ? 0 : -0;

const noFields: RestFields = Object.freeze(Object.create(null) as RestFields);

const vectorOf = (fields: RestFields): readonly number[] | undefined => {
  if (fields.__type__?.stringValue !== '__vector__') return undefined;
  const array = fields.value?.arrayValue as { readonly values?: readonly RestValue[] } | undefined;
  const values = array?.values ?? [];
  return array && values.every((value) => 'doubleValue' in value)
    ? values.map(({ doubleValue }) => doubleOf(doubleValue))
    : undefined;
};

const readers: Readonly<Record<string, ((value: unknown) => ExportValue) | undefined>> = {
  nullValue: () => ({ kind: 'null' }),
  booleanValue: (value) => ({ kind: 'boolean', value: value as boolean }),
  integerValue: text('integer'),
  doubleValue: (value) => ({ kind: 'double', value: doubleOf(value) }),
  timestampValue: text('timestamp'),
  stringValue: text('string'),
  bytesValue: text('bytes'),
  referenceValue: text('reference'),
  unknownValue: text('unknown'),
  geoPointValue: (value) => {
    const { latitude, longitude } = value as { readonly latitude?: unknown; readonly longitude?: unknown };
    return { kind: 'geoPoint', latitude: doubleOf(latitude), longitude: doubleOf(longitude) };
  },
  arrayValue: (value) => ({ kind: 'array', values: (value as { readonly values?: readonly RestValue[] }).values ?? [] }),
  mapValue: (value) => {
    const fields = (value as { readonly fields?: RestFields }).fields ?? noFields;
    const vector = vectorOf(fields);
    return vector ? { kind: 'vector', values: vector } : { kind: 'map', fields };
  },
};

/** Microseconds since 1970, as Firestore stores times. Finer digits of an imported backup are cut off. */
export const microsecondsOf = (time: string): bigint => {
  const milliseconds = Date.parse(`${time.slice(0, 19)}Z`);
  return BigInt(milliseconds) * 1_000n + BigInt(time.slice(20, -1).padEnd(6, '0').slice(0, 6));
};
