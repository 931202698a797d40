/**
 * The order of Firestore's `__name__`: segment by segment, numeric ids (`__id7__`) first and by their number, other ids by
 * their UTF-8 bytes; a document comes before what lies below it. Negative if `a` comes first, zero only for equal names.
 */
export const compareNames = (a: Uint8Array, b: Uint8Array): number => compareRanges(a, 0, a.length, b, 0, b.length);

/** The same for names that are ranges of larger bytes. */
export const compareRanges = (a: Uint8Array, aStart: number, aEnd: number, b: Uint8Array, bStart: number, bEnd: number): number =>
  compareFrom(a, aStart, aEnd, b, bStart, bEnd, sharedBytes(a, aStart, aEnd, b, bStart, bEnd));

/** The same when it is known how many bytes they share. */
export const compareFrom = (
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
  shared: number,
): number => {
  const left = aStart + shared;
  const right = bStart + shared;
  if (left === aEnd && right === bEnd) return 0;
  let back = shared;
  while (back > 0 && a[aStart + back - 1] !== slash) back--;
  const leftId = numericId(a, aStart + back, aEnd);
  const rightId = numericId(b, bStart + back, bEnd);
  if (leftId !== rightId) {
    if (leftId === undefined) return 1;
    if (rightId === undefined) return -1;
    return leftId < rightId ? -1 : 1;
  }
  return (left < aEnd ? rank(a[left]) : -2) - (right < bEnd ? rank(b[right]) : -2);
};

/** How many bytes two names have in common at their beginning. */
export const sharedBytes = (a: Uint8Array, aStart: number, aEnd: number, b: Uint8Array, bStart: number, bEnd: number): number => {
  const shorter = Math.min(aEnd - aStart, bEnd - bStart);
  let i = 0;
  while (i < shorter && a[aStart + i] === b[bStart + i]) i++;
  return i;
};

/** The least name that comes after this one and after all that lies below it: where a reader goes on that wants none of that. */
export const afterSubtree = (name: Uint8Array): Buffer => {
  let start = name.length;
  while (start > 0 && name[start - 1] !== slash) start--;
  const number = numericId(name, start, name.length);
  if (number === undefined) return Buffer.concat([name, Buffer.alloc(1)]);
  const next = number < greatestNumber ? `__id${number + 1n}__` : '\0';
  return Buffer.concat([name.subarray(0, start), Buffer.from(next)]);
};

const greatestNumber = 2n ** 63n - 1n;

const slash = 0x2f;

/** The end of a name (-2) comes before the end of a segment (-1), and that before any byte. */
const rank = (byte = -2): number => (byte === slash ? -1 : byte);

const pattern = /^__id(0|-?[1-9]\d{0,18})__$/;

/** A number of 64 bits as it is written. Numeric ids begin with two underscores; nearly no other id does. */
const numericId = (name: Uint8Array, start: number, end: number): bigint | undefined => {
  if (start + 7 > end || name[start] !== 0x5f || name[start + 1] !== 0x5f) return undefined;
  let stop = start;
  while (stop < end && name[stop] !== slash) stop++;
  const match = pattern.exec(Buffer.from(name.subarray(start, stop)).toString('latin1'));
  if (match?.[1] === undefined) return undefined;
  const number = BigInt(match[1]);
  return BigInt.asIntN(64, number) === number ? number : undefined;
};
