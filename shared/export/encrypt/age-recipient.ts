/** Public keys of age (https://age-encryption.org/v1), such as age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p. */

const prefix = 'age';
const keyBytes = 32;
const checksumSymbols = 6;
const symbols = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

/** The X25519 key in a text in Bech32; undefined if it is none. */
export const parseAgeRecipient = (text: string): Buffer | undefined => {
  if (!text.startsWith(`${prefix}1`)) return undefined;
  const values = [...text.slice(prefix.length + 1)].map((symbol) => symbols.indexOf(symbol));
  if (values.includes(-1) || checksumOf([...expandedPrefix, ...values]) !== 1) return undefined;
  const bytes = bytesOf(values.slice(0, -checksumSymbols));
  return bytes?.length === keyBytes ? bytes : undefined;
};

const expandedPrefix = [
  ...[...prefix].map((letter) => letter.charCodeAt(0) >> 5),
  0,
  ...[...prefix].map((letter) => letter.charCodeAt(0) & 31),
];

const checksumOf = (values: readonly number[]): number => {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of generators.entries()) if ((top >> bit) & 1) sum ^= generator;
  }
  return sum;
};

/** Of groups of five bits. What is left at the end must be zeros, and less than a group. */
const bytesOf = (groups: readonly number[]): Buffer | undefined => {
  const bytes: number[] = [];
  let bits = 0;
  let rest = 0;
  for (const group of groups) {
    rest = (rest << 5) | group;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(rest >> bits);
    rest &= (1 << bits) - 1;
  }
  return bits < 5 && rest === 0 ? Buffer.from(bytes) : undefined;
};
