import { createHash } from 'node:crypto';

/** Which names are surely not among those it was made of; clients find with it what they hold and should not. */
export interface BloomFilter {
  readonly bits: { readonly bitmap: Uint8Array; readonly padding: number };
  readonly hashCount: number;
}

/** At 36 bits a name and 12 hashes, one name in some 200,000 that is not in it passes. */
const bitsPerName = 36;
const hashCount = 12;
const word = (1n << 64n) - 1n;

/** A filter of full names, as the clients read it: bit i of n is set by MD5, its halves h1 and h2 little-endian, at h1 + i × h2. */
export const bloomFilter = (names: readonly string[]): BloomFilter => {
  const bitCount = names.length * bitsPerName - 1;
  if (names.length === 0) return { bits: { bitmap: new Uint8Array(), padding: 0 }, hashCount: 0 };
  const bitmap = new Uint8Array(Math.ceil(bitCount / 8));
  for (const name of names) {
    const hash = createHash('md5').update(name).digest();
    const [first, second] = [hash.readBigUInt64LE(0), hash.readBigUInt64LE(8)];
    for (let i = 0; i < hashCount; i++) {
      const bit = Number(((first + BigInt(i) * second) & word) % BigInt(bitCount));
      bitmap[bit >> 3] = (bitmap[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return { bits: { bitmap, padding: bitmap.length * 8 - bitCount }, hashCount };
};
