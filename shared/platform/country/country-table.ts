/**
 * A compact table of address ranges and their countries: sorted starts, each with the number of a country; 0 is unknown. IPv6 counts by
 * its first 64 bits, the smallest network that a site is given. It takes 4 MB in memory and 0.75 MB as a file.
 */
import { isIPv4 } from 'node:net';
import { brotliDecompressSync } from 'node:zlib';

interface Ranges {
  /** The first address, or the first half of its network; for IPv6 also the second half. */
  readonly high: Uint32Array;
  readonly low: Uint32Array | undefined;
  readonly country: Uint8Array;
}

export interface CountryTable {
  readonly codes: readonly string[];
  readonly v4: Ranges;
  readonly v6: Ranges;
}

/** `packCountryTable` writes this form. */
export const unpackCountryTable = (packed: Buffer): CountryTable => {
  const bytes = brotliDecompressSync(packed);
  let at = 0;
  const take = (): number => {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
      unit *= 128;
    }
  };
  const takeBytes = (length: number): Buffer => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  const takeRanges = (hasLow: boolean): Ranges => {
    const length = take();
    const high = new Uint32Array(length);
    for (let i = 0, last = 0; i < length; i++) high[i] = last += take();
    const low = hasLow ? new Uint32Array(length) : undefined;
    if (low) for (let i = 0; i < length; i++) low[i] = take();
    // A copy, because a view would keep all of the unpacked bytes in memory.
    return { high, low, country: Uint8Array.from(takeBytes(length)) };
  };
  const codes = takeBytes(take()).toString('latin1').match(/../g) ?? [];
  return { codes, v4: takeRanges(false), v6: takeRanges(true) };
};

/** The ISO 3166 code of the country that an address is registered in or used from; null if the table has none. */
export const findCountry = ({ codes, v4, v6 }: CountryTable, address: string): string | null => {
  const [high = 0, low = 0] = isIPv4(address) ? [numberOf(address.split('.'), 256)] : halvesOf(address);
  const ranges = isIPv4(address) ? v4 : v6;
  let [first, end] = [0, ranges.high.length];
  while (first < end) {
    const middle = (first + end) >>> 1;
    const start = ranges.high[middle] ?? 0;
    if (start < high || (start === high && (ranges.low?.[middle] ?? 0) <= low)) first = middle + 1;
    else end = middle;
  }
  const country = ranges.country[first - 1] ?? 0;
  return country === 0 ? null : (codes[country - 1] ?? null);
};

/** The two halves of the first 64 bits. */
const halvesOf = (address: string): readonly [number, number] => {
  const [front = '', back] = address.split('::');
  const leading = front === '' ? [] : front.split(':');
  const trailing = back ? back.split(':') : [];
  const groups = [...leading, ...Array(Math.max(0, 8 - leading.length - trailing.length)).fill('0'), ...trailing];
  const half = (from: number): number =>
    numberOf(
      groups.slice(from, from + 2).map((group) => `0x${group}`),
      65_536,
    );
  return [half(0), half(2)];
};

const numberOf = (digits: readonly string[], base: number): number =>
  digits.reduce((sum, digit) => sum * base + Number(digit), 0);
