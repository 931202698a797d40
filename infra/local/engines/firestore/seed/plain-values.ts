import { proto, type Timestamp } from '../proto/codecs.ts';

/** A reference to a document, by its full name. */
export class Ref {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

type GeoPoint = { readonly latitude: number; readonly longitude: number };

/** A plain value: bigint is an integer, number a double. */
export type SeedValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Ref
  | Timestamp
  | GeoPoint
  | readonly SeedValue[]
  | { readonly [field: string]: SeedValue };

/** Encodes a plain value as google.firestore.v1.Value. */
export function valueBytes(value: SeedValue): Uint8Array {
  if (value === null) return proto.Value.encode({ nullValue: 'NULL_VALUE' });
  if (typeof value === 'boolean') return proto.Value.encode({ booleanValue: value });
  if (typeof value === 'bigint') return proto.Value.encode({ integerValue: value });
  if (typeof value === 'number') return proto.Value.encode({ doubleValue: value });
  if (typeof value === 'string') return proto.Value.encode({ stringValue: value });
  if (value instanceof Uint8Array) return proto.Value.encode({ bytesValue: value });
  if (value instanceof Ref) return proto.Value.encode({ referenceValue: value.name });
  if (isList(value)) return proto.Value.encode({ arrayValue: { values: value.map(valueBytes) } });
  if (isTimestamp(value)) return proto.Value.encode({ timestampValue: value });
  if (isGeoPoint(value)) return proto.Value.encode({ geoPointValue: value });
  const fields = new Map(Object.entries(value).map(([name, one]) => [name, valueBytes(one)]));
  return proto.Value.encode({ mapValue: { fields } });
}

export const isList = (value: SeedValue): value is readonly SeedValue[] => Array.isArray(value);
export const isTimestamp = (value: object): value is Timestamp => 'seconds' in value && 'nanos' in value;
export const isGeoPoint = (value: object): value is GeoPoint => 'latitude' in value && 'longitude' in value;
