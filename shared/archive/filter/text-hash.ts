/** The hash of filters: MurmurHash3 (x86, 32 bits, seed 0) of a text in UTF-8. Sealed objects need no secret hash. */

const scratch = Buffer.allocUnsafe(4_096);

export const textHash = (text: string): number => {
  // A code unit of UTF-16 takes at most three bytes.
  const bytes = 3 * text.length <= scratch.length ? scratch : Buffer.allocUnsafe(3 * text.length);
  return bytesHash(bytes, 0, bytes.write(text));
};

const [multiplier1, multiplier2] = [0xcc9e2d51, 0x1b873593];

export const bytesHash = (bytes: Uint8Array, start: number, end: number): number => {
  let hash = 0;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
    hash ^= scrambled(word);
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  for (let last = end - 1; last >= at; last--) rest = (rest << 8) | (bytes[last] ?? 0);
  if (at < end) hash ^= scrambled(rest);
  return finalHash(hash ^ (end - start));
};

const scrambled = (word: number): number => {
  const mixed = Math.imul(word, multiplier1);
  return Math.imul((mixed << 15) | (mixed >>> 17), multiplier2);
};

/** The final step of MurmurHash3, as an unsigned number. */
export const finalHash = (hash: number): number => {
  let mixed = hash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
};
