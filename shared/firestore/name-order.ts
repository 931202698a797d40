/**
 * The order of Firestore's `__name__`: segment by segment, numeric ids (`__id7__`) first and by their number, other ids by
 * their UTF-8 bytes, a document before what lies below it. Negative if `a` comes first, zero only for the same name.
 */
export const compareNames = (a: string, b: string): number => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return compareBytes(left, 0, left.length, right, 0, right.length, sharedBytes(left, 0, left.length, right, 0, right.length));
};

/** How many bytes two names have in common at their beginning. */
export const sharedBytes = (a: Uint8Array, aStart: number, aEnd: number, b: Uint8Array, bStart: number, bEnd: number): number => {
  const shorter = Math.min(aEnd - aStart, bEnd - bStart);
  let i = 0;
  while (i < shorter && a[aStart + i] === b[bStart + i]) i++;
  return i;
};

/** The order of two names whose common beginning is known; allocates nothing unless an id looks numeric. */
export const compareBytes = (
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
  shared: number,
): number => {
  if (shared === aEnd - aStart && shared === bEnd - bStart) return 0;
  let segment = shared;
  while (segment > 0 && a[aStart + segment - 1] !== slash) segment--;
  const left = numericId(a, aStart + segment, aEnd);
  const right = numericId(b, bStart + segment, bEnd);
  if (left !== right) {
    if (left === undefined) return 1;
    if (right === undefined) return -1;
    return left < right ? -1 : 1;
  }
  return rank(a, aStart + shared, aEnd) - rank(b, bStart + shared, bEnd);
};

export const slash = 0x2f;

/** The end of a name comes before the end of a segment, and that before any byte. */
const rank = (name: Uint8Array, at: number, end: number): number => {
  const byte = at < end ? (name[at] ?? 0) : -2;
  return byte === slash ? -1 : byte;
};

const pattern = /^__id(0|-?[1-9]\d{0,18})__$/;

const numericId = (name: Uint8Array, start: number, end: number): bigint | undefined => {
  if (start + 7 > end || name[start] !== 0x5f || name[start + 1] !== 0x5f) return undefined;
  let stop = start;
  while (stop < end && name[stop] !== slash) stop++;
  const match = pattern.exec(Buffer.from(name.subarray(start, stop)).toString('latin1'));
  if (match?.[1] === undefined) return undefined;
  const value = BigInt(match[1]);
  return BigInt.asIntN(64, value) === value ? value : undefined;
};
