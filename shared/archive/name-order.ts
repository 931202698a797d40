/**
 * The order of Firestore's `__name__`: segment by segment, numeric ids (`__id7__`) first and by their number, other ids by
 * their UTF-8 bytes; a document comes before what lies below it. Negative if `a` comes first, zero only for equal names.
 */
export const compareNames = (a: Uint8Array, b: Uint8Array): number =>
  compareAt(a, a.length, b, 0, b.length, sharedBytes(a, a.length, b, 0, b.length));

/** How many bytes two names have in common at their beginning; `b` is a range of its bytes. */
export const sharedBytes = (a: Uint8Array, aLength: number, b: Uint8Array, bStart: number, bEnd: number): number => {
  const shorter = Math.min(aLength, bEnd - bStart);
  let i = 0;
  while (i < shorter && a[i] === b[bStart + i]) i++;
  return i;
};

/** The order of two names whose common beginning is known; nothing is allocated unless an id looks numeric. */
export const compareAt = (
  a: Uint8Array,
  aLength: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
  shared: number,
): number => {
  const bLength = bEnd - bStart;
  if (shared === aLength && shared === bLength) return 0;
  let segment = shared;
  while (segment > 0 && a[segment - 1] !== slash) segment--;
  const left = numericId(a, segment, aLength);
  const right = numericId(b, bStart + segment, bEnd);
  if (left !== right) {
    if (left === undefined) return 1;
    if (right === undefined) return -1;
    return left < right ? -1 : 1;
  }
  return (shared < aLength ? rank(a[shared]) : -2) - (shared < bLength ? rank(b[bStart + shared]) : -2);
};

const slash = 0x2f;

/** The end of a name (-2) comes before the end of a segment (-1), and that before any byte. */
const rank = (byte = -2): number => (byte === slash ? -1 : byte);

const pattern = /^__id(-?(?:0|[1-9]\d{0,18}))__$/;

/** Numeric ids begin with two underscores; nearly no other id does. */
const numericId = (name: Uint8Array, start: number, end: number): bigint | undefined => {
  if (start + 7 > end || name[start] !== 0x5f || name[start + 1] !== 0x5f) return undefined;
  let stop = start;
  while (stop < end && name[stop] !== slash) stop++;
  const match = pattern.exec(Buffer.from(name.subarray(start, stop)).toString('latin1'));
  return match?.[1] === undefined ? undefined : BigInt(match[1]);
};
