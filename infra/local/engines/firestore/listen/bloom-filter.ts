import { createHash } from 'node:crypto';

/** A Bloom filter of document names: clients use it to find documents they hold that no longer match. */
export interface BloomFilter {
  readonly bits: { readonly bitmap: Uint8Array; readonly padding: number };
  readonly hashCount: number;
}

/** 36 bits per name and 12 hashes give a false-positive rate of about 1 in 200,000. */
const bitsPerName = 36;
const hashCount = 12;
const word = (1n << 64n) - 1n;

/** Builds a filter of full names: bit h1 + i × h2 for each hash i; h1 and h2 are the little-endian halves of the MD5. */
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
