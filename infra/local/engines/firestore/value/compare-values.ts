import { pathKey } from '../base/path-key.ts';
import type { Kind, Value } from './value.ts';

/** Firestore's total order of values: by type, then by value. Numbers compare by value: 3 = 3.0, -0 = 0. */
export const compareValues = (a: Value, b: Value): number => {
  const order = typeOrder[a.kind] - typeOrder[b.kind];
  if (order !== 0) return order;
  switch (a.kind) {
    case 'null':
      return 0;
    case 'boolean':
      return b.kind === 'boolean' ? Number(a.value) - Number(b.value) : 0;
    case 'integer':
    case 'double':
      return b.kind === 'integer' || b.kind === 'double' ? compareNumbers(a.value, b.value) : 0;
    case 'timestamp':
      return b.kind === 'timestamp' ? a.seconds - b.seconds || a.nanos - b.nanos : 0;
    case 'string':
      return b.kind === 'string' ? compareText(a.value, b.value) : 0;
    case 'bytes':
    case 'unknown':
      return b.kind === 'bytes' || b.kind === 'unknown' ? Buffer.compare(a.value, b.value) : 0;
    case 'reference':
      return b.kind === 'reference' ? compareReferences(a.value, b.value) : 0;
    case 'geoPoint':
      return b.kind === 'geoPoint' ? compareNumbers(a.latitude, b.latitude) || compareNumbers(a.longitude, b.longitude) : 0;
    case 'array':
      return b.kind === 'array' ? compareLists(a.values, b.values) : 0;
    case 'vector':
      return b.kind === 'vector' ? a.values.length - b.values.length || compareLists(a.values, b.values) : 0;
    case 'map':
      return b.kind === 'map' ? compareMaps(a.fields, b.fields) : 0;
  }
};

/** The order of types. NaN is the smallest number; filters that must distinguish it use `isNaN`. */
export const typeOrder: Readonly<Record<Kind, number>> = {
  null: 0,
  boolean: 1,
  integer: 2,
  double: 2,
  timestamp: 3,
  string: 4,
  bytes: 5,
  reference: 6,
  geoPoint: 7,
  array: 8,
  vector: 9,
  map: 10,
  unknown: 11,
};

/** Equality of `==`, `in` and array membership: 3 equals 3.0, NaN equals NaN, -0 equals 0. */
export const equalValues = (a: Value, b: Value): boolean => compareValues(a, b) === 0;

/** One text per class of equal values, for sets and groups: `canonical(a) === canonical(b)` exactly if `equalValues(a, b)`. */
export const canonical = (value: Value): string => {
  switch (value.kind) {
    case 'null':
      return 'n';
    case 'boolean':
      return value.value ? 't' : 'f';
    case 'integer':
      return `#${value.value}`;
    case 'double':
      return `#${canonicalDouble(value.value)}`;
    case 'timestamp':
      return `@${value.seconds}.${value.nanos}`;
    case 'string':
      return JSON.stringify(value.value);
    case 'bytes':
      return `b${Buffer.from(value.value).toString('hex')}`;
    case 'unknown':
      return `?${Buffer.from(value.value).toString('hex')}`;
    case 'reference':
      return `r${JSON.stringify(value.value)}`;
    case 'geoPoint':
      return `g${value.latitude + 0},${value.longitude + 0}`;
    case 'array':
      return `[${value.values.map(canonical).join()}]`;
    case 'vector':
      return `v[${value.values.map(canonical).join()}]`;
    case 'map':
      return `{${[...value.fields]
        .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)
        .sort()
        .join()}}`;
  }
};

/** Strings by UTF-8 bytes: UTF-16 units compare alike, except that surrogates (above U+FFFF) come last. */
export const compareText = (a: string, b: string): number => {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
};

/** References by segments, numeric ids as numbers. */
const compareReferences = (a: string, b: string): number => {
  if (a === b) return 0;
  const x = pathKey(a);
  const y = pathKey(b);
  return x < y ? -1 : x > y ? 1 : 0;
};

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

const compareNumbers = (a: number | bigint, b: number | bigint): number => {
  if (a < b) return -1;
  if (a > b) return 1;
  // Neither less nor greater: equal, unless one is NaN.
  return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
};

const compareLists = (a: readonly Value[], b: readonly Value[]): number => {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a[i];
    const y = b[i];
    const order = x && y ? compareValues(x, y) : 0;
    if (order !== 0) return order;
  }
  return a.length - b.length;
};

const compareMaps = (a: ReadonlyMap<string, Value>, b: ReadonlyMap<string, Value>): number => {
  const x = [...a].sort(([p], [q]) => compareText(p, q));
  const y = [...b].sort(([p], [q]) => compareText(p, q));
  const length = Math.min(x.length, y.length);
  for (let i = 0; i < length; i++) {
    const [p, v] = x[i] ?? [];
    const [q, w] = y[i] ?? [];
    if (p === undefined || q === undefined || v === undefined || w === undefined) break;
    const order = compareText(p, q) || compareValues(v, w);
    if (order !== 0) return order;
  }
  return x.length - y.length;
};

/** A whole double has the text of the equal integer. */
const canonicalDouble = (value: number): string => (Number.isInteger(value) ? BigInt(value).toString() : String(value));
