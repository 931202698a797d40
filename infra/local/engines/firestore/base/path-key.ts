import type { PathKey } from './types.ts';

/**
 * A key is the path's UTF-8 bytes, one character each (V8 stores such strings in one byte per character and compares them
 * with memcmp). Segments are separated by NUL, so a parent sorts before its children and all descendants are adjacent.
 * A numeric id begins with \x01 and sorts before all names; bytes 0, 1 and 2 in names are escaped with \x02.
 */
const separator = '\x00';
const numeric = '\x01';

/** The order-preserving key of a path; the empty path gives the empty key. */
export const pathKey = (path: string): PathKey =>
  plainPathKey(path) ?? inOnePiece(path.split('/').map(segmentKey).join(separator));

/** The path of a key. */
export const keyPath = (key: PathKey): string => {
  if (isPlain(key)) return key.replaceAll(separator, '/');
  return key.split(separator).map(keySegment).join('/');
};

/** The key of a child segment. */
export const childKey = (parent: PathKey, segment: string): PathKey =>
  parent === '' ? segmentKey(segment) : parent + separator + segmentKey(segment);

/** All keys below `key` are in from ≤ k < to; everything is below the empty key. */
export const below = (key: PathKey): { readonly from: PathKey; readonly to: PathKey } =>
  key === '' ? { from: '', to: lastKey } : { from: key + separator, to: key + numeric };

/** The smallest key greater than `key`. */
export const nextKey = (key: PathKey): PathKey => key + separator;

/** Greater than every key: 0xff is not a UTF-8 byte. */
export const lastKey: PathKey = '\xff';

/** The number of segments. */
export const depth = (key: PathKey): number => {
  if (key === '') return 0;
  let count = 1;
  for (let at = key.indexOf(separator); at >= 0; at = key.indexOf(separator, at + 1)) count++;
  return count;
};

/** The key without its last segment; the empty key for one segment. */
export const parentKey = (key: PathKey): PathKey => key.slice(0, Math.max(0, key.lastIndexOf(separator)));

/** The first `count` segments of a key. */
export const keyPrefix = (key: PathKey, count: number): PathKey => {
  let end = -1;
  for (let n = 0; n < count; n++) {
    end = key.indexOf(separator, end + 1);
    if (end < 0) return key;
  }
  return key.slice(0, Math.max(0, end));
};

/** The last segment of a key, in path notation. */
export const lastSegment = (key: PathKey): string => keySegment(key.slice(key.lastIndexOf(separator) + 1));

const escapes = '\x02';
const numericId = /^__id(-?\d{1,20})__$/;
const signBit = 1n << 63n;

const segmentKey = (segment: string): string => {
  const id = numericId.exec(segment)?.[1];
  if (id !== undefined) {
    const value = BigInt(id);
    // `__id007__` is not canonical and stays a name, so that keys and paths correspond one to one.
    if (BigInt.asIntN(64, value) === value && String(value) === id)
      return numeric + (value + signBit).toString(16).padStart(16, '0');
  }
  if (isPlain(segment) && !segment.includes(separator)) return segment;
  let key = '';
  for (const byte of Buffer.from(segment, 'utf8'))
    key += byte < 3 ? escapes + String.fromCharCode(byte + 3) : String.fromCharCode(byte);
  return key;
};

const keySegment = (segment: string): string => {
  if (segment.startsWith(numeric)) return `__id${BigInt(`0x${segment.slice(1)}`) - signBit}__`;
  if (isPlain(segment)) return segment;
  const bytes: number[] = [];
  for (let i = 0; i < segment.length; i++)
    bytes.push(segment[i] === escapes ? segment.charCodeAt(++i) - 3 : segment.charCodeAt(i));
  return Buffer.from(bytes).toString('utf8');
};

/** The key of a plain ASCII path without numeric ids (the common case); undefined for any other. */
const plainPathKey = (path: string): PathKey | undefined => {
  const { length } = path;
  if (length > scratch.length) return undefined;
  for (let i = 0; i < length; i++) {
    const code = path.charCodeAt(i);
    if (code > 0x7f || code < 3) return undefined;
    if (code === 0x2f) scratch[i] = 0;
    // A numeric id begins with `__id`.
    else if (code === 0x5f && path.startsWith('__id', i)) return undefined;
    else scratch[i] = code;
  }
  return scratch.toString('latin1', 0, length);
};

/** A concatenated string keeps its parts in memory; keys live long. */
const inOnePiece = (key: string): string => Buffer.from(key, 'latin1').toString('latin1');

const scratch = Buffer.allocUnsafe(4096);

/** ASCII without the bytes that have a meaning in keys; the separator is allowed. */
const isPlain = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f || code === 1 || code === 2) return false;
  }
  return true;
};
