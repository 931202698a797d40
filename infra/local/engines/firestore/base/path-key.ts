import type { PathKey } from './types.ts';

/*
 * A key is the path's UTF-8 bytes, one character each (V8 keeps such strings in one byte a character and compares them
 * as memory), with segments parted by NUL, the smallest character, so a parent sorts before its children and all its
 * descendants are neighbours. A numeric id begins with \x01, below every name; the names' own bytes 0, 1 and 2 are
 * escaped by \x02 to make room.
 */
const separator = '\x00';
const numeric = '\x01';

/** The order-preserving key of a path of segments joined by `/`; an empty path gives the empty key. */
export const pathKey = (path: string): PathKey =>
  plainPathKey(path) ?? inOnePiece(path.split('/').map(segmentKey).join(separator));

/** The path a key was made of. */
export const keyPath = (key: PathKey): string => {
  if (isPlain(key)) return key.replaceAll(separator, '/');
  return key.split(separator).map(keySegment).join('/');
};

/** The key of one more segment below `parent`. */
export const childKey = (parent: PathKey, segment: string): PathKey =>
  parent === '' ? segmentKey(segment) : parent + separator + segmentKey(segment);

/** All keys strictly below `key` lie in from ≤ k < to; below the empty key lies everything. */
export const below = (key: PathKey): { readonly from: PathKey; readonly to: PathKey } =>
  key === '' ? { from: '', to: lastKey } : { from: key + separator, to: key + numeric };

/** The smallest key greater than `key` itself. */
export const nextKey = (key: PathKey): PathKey => key + separator;

/** Greater than every key: no UTF-8 byte is 0xff. */
export const lastKey: PathKey = '\xff';

/** How many segments a key has. */
export const depth = (key: PathKey): number => {
  if (key === '') return 0;
  let count = 1;
  for (let at = key.indexOf(separator); at >= 0; at = key.indexOf(separator, at + 1)) count++;
  return count;
};

/** The key without its last segment; of one segment, the empty key. */
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

/** The last segment of a key, as it is written in a path. */
export const lastSegment = (key: PathKey): string => keySegment(key.slice(key.lastIndexOf(separator) + 1));

const escapes = '\x02';
const numericId = /^__id(-?\d{1,20})__$/;
const signBit = 1n << 63n;

const segmentKey = (segment: string): string => {
  const id = numericId.exec(segment)?.[1];
  if (id !== undefined) {
    const value = BigInt(id);
    // `__id007__` is not how a number is written: it stays a name, so that key and path stand for each other.
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

/** The key of a path of plain ASCII without numeric ids, which most are; undefined for any other. */
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

/** A string put together from others keeps them all in memory; keys are kept for long. */
const inOnePiece = (key: string): string => Buffer.from(key, 'latin1').toString('latin1');

const scratch = Buffer.allocUnsafe(4096);

/** ASCII without the bytes that mean something in a key; the separator itself may be there. */
const isPlain = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f || code === 1 || code === 2) return false;
  }
  return true;
};
