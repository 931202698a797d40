/** Whether a value looks like ciphertext: random bytes, or random bytes as hex, base64 or broken text. */

/** Shorter values are too short to judge. */
export const judgedBytesMin = 16;

const lower = 1;
const upper = 2;
const digit = 3;
const high = 4;
const control = 5;

const classes = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x61 && byte <= 0x7a) return lower;
  if (byte >= 0x41 && byte <= 0x5a) return upper;
  if (byte >= 0x30 && byte <= 0x39) return digit;
  if (byte >= 0x80) return high;
  // Tab, line feed and carriage return occur in text.
  return byte === 0x7f || (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) ? control : 0;
});

/** By the classes of two adjacent bytes, without branches: most of the time to judge a document is spent here. */
const byPair = (matches: (before: number, now: number) => boolean): Uint8Array =>
  Uint8Array.from({ length: 64 }, (_, pair) => Number(matches(pair >>> 3, pair & 7)));
const isWordLike = (kind: number): boolean => kind >= lower && kind <= digit;
const isPair = byPair((before, now) => isWordLike(before) && isWordLike(now));
/** A capital before a small letter begins a word. */
const isSwitch = byPair(
  (before, now) => isWordLike(before) && isWordLike(now) && before !== now && !(before === upper && now === lower),
);

/** Shares above which a value is opaque. Random bytes have 9 % control characters, and text has none. */
const controlMin = 0.04;
/** Random hex changes between letters and digits at 47 % of its pairs, random base64 at 48 %, and words at nearly none. */
const switchesMin = 0.28;
const pairsMin = 8;
/** Of random bytes half are above 0x7f: of ASCII text none, of other scripts nearly all. */
const highMin = 0.3;
const highMax = 0.75;
/** Of the entropy that so many bytes can have. Structured binary data with many zeros has less. */
const entropyMin = 0.85;

/** Judges many values without allocating anything. */
export class ValueJudge {
  readonly #counts = new Uint32Array(256);

  /** Bytes from `start` to `end` of a string, or of a bytes value. */
  isOpaque(bytes: Uint8Array, start: number, end: number, kind: 'string' | 'bytes'): boolean {
    const length = end - start;
    if (length < judgedBytesMin) return false;
    let [controls, highs, pairs, switches, before] = [0, 0, 0, 0, 0];
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      const now = classes[byte] ?? 0;
      const pair = (before << 3) | now;
      pairs += isPair[pair] ?? 0;
      switches += isSwitch[pair] ?? 0;
      before = now;
      if (now < high) continue;
      if (now === control || isUnprintable(bytes, at)) controls += 1;
      else highs += 1;
    }
    if (pairs >= pairsMin && switches >= switchesMin * pairs && highs + controls < highMin * length) return true;
    if (kind === 'string') return controls >= controlMin * length;
    const isBinary = controls >= controlMin * length || (highs >= highMin * length && highs <= highMax * length);
    return isBinary && this.#bits(bytes, start, end) >= entropyMin * Math.log2(Math.min(length, 256));
  }

  /** Entropy of the bytes, in bits per byte. */
  #bits(bytes: Uint8Array, start: number, end: number): number {
    const counts = this.#counts.fill(0);
    for (let at = start; at < end; at++) counts[bytes[at] ?? 0] = (counts[bytes[at] ?? 0] ?? 0) + 1;
    return entropyOf(counts, end - start);
  }
}

/** The end of U+0080 to U+009F, or of U+FFFD, which replaces what is no text, in UTF-8. */
const isUnprintable = (bytes: Uint8Array, at: number): boolean => {
  const byte = bytes[at] ?? 0;
  const before = bytes[at - 1];
  return (before === 0xc2 && byte < 0xa0) || (byte === 0xbd && before === 0xbf && bytes[at - 2] === 0xef);
};

/** Shannon entropy of a histogram, in bits per byte. */
export const entropyOf = (counts: Uint32Array, total: number): number => {
  if (total === 0) return 0;
  let sum = 0;
  for (const count of counts) if (count > 0) sum += count * Math.log2(count);
  return Math.log2(total) - sum / total;
};
