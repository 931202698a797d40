/**
 * Firestore's `__name__` order: segment by segment, numeric ids (`__id7__`) first and by number, other ids by UTF-8 bytes. A
 * document precedes its subcollections. Negative if `a` comes first, zero only for equal names.
 */
export const compareNames = (a: Uint8Array, b: Uint8Array): number => compareRanges(a, 0, a.length, b, 0, b.length);

/** Compares names that are ranges of larger buffers. */
export const compareRanges = (a: Uint8Array, aStart: number, aEnd: number, b: Uint8Array, bStart: number, bEnd: number): number =>
  compareFrom(a, aStart, aEnd, b, bStart, bEnd, sharedBytes(a, aStart, aEnd, b, bStart, bEnd));

/** Compares names whose shared prefix length is known. */
export const compareFrom = (
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
  shared: number,
): number => {
  const aAt = aStart + shared;
  const bAt = bStart + shared;
  if (aAt === aEnd && bAt === bEnd) return 0;
  let segmentStart = shared;
  while (segmentStart > 0 && a[aStart + segmentStart - 1] !== slash) segmentStart--;
  const aId = numericId(a, aStart + segmentStart, aEnd);
  const bId = numericId(b, bStart + segmentStart, bEnd);
  if (aId !== bId) {
    if (aId === undefined) return 1;
    if (bId === undefined) return -1;
    return aId < bId ? -1 : 1;
  }
  return (aAt < aEnd ? rank(a[aAt]) : -2) - (bAt < bEnd ? rank(b[bAt]) : -2);
};

export const sharedBytes = (a: Uint8Array, aStart: number, aEnd: number, b: Uint8Array, bStart: number, bEnd: number): number => {
  const shorter = Math.min(aEnd - aStart, bEnd - bStart);
  let i = 0;
  while (i < shorter && a[aStart + i] === b[bStart + i]) i++;
  return i;
};

/** The smallest name after this one and everything below it: seeking there skips the subtree. */
export const afterSubtree = (name: Uint8Array): Buffer => {
  let start = name.length;
  while (start > 0 && name[start - 1] !== slash) start--;
  const number = numericId(name, start, name.length);
  if (number === undefined) return Buffer.concat([name, Buffer.alloc(1)]);
  const next = number < maxNumericId ? `__id${number + 1n}__` : '\0';
  return Buffer.concat([name.subarray(0, start), Buffer.from(next)]);
};

const maxNumericId = 2n ** 63n - 1n;

const slash = 0x2f;

/** The end of a name (-2) sorts before the end of a segment (-1), which sorts before any byte. */
const rank = (byte = -2): number => (byte === slash ? -1 : byte);

const pattern = /^__id(0|-?[1-9]\d{0,18})__$/;

/** A canonical signed 64-bit number. Few other ids begin with two underscores, so the check is fast. */
const numericId = (name: Uint8Array, start: number, end: number): bigint | undefined => {
  if (start + 7 > end || name[start] !== 0x5f || name[start + 1] !== 0x5f) return undefined;
  let stop = start;
  while (stop < end && name[stop] !== slash) stop++;
  const match = pattern.exec(Buffer.from(name.subarray(start, stop)).toString('latin1'));
  if (match?.[1] === undefined) return undefined;
  const number = BigInt(match[1]);
  return BigInt.asIntN(64, number) === number ? number : undefined;
};
