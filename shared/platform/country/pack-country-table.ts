import { brotliCompressSync, constants } from 'node:zlib';

export interface CountryRange {
  /** IPv4: the address. IPv6: all 128 bits. */
  readonly first: bigint;
  readonly last: bigint;
  readonly code: string;
}

/** Lines of `first,last,country` with addresses as decimal numbers. */
export const readCountryRanges = (csv: string): CountryRange[] =>
  csv
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [first = '', last = '', code = ''] = line.trim().split(',');
      if (!/^[A-Z]{2}$/.test(code)) throw new Error(`the table of countries has a line without a country: ${line.slice(0, 100)}`);
      return { first: BigInt(first), last: BigInt(last), code };
    });

/** The form that `unpackCountryTable` reads. */
export const packCountryTable = (v4: readonly CountryRange[], v6: readonly CountryRange[]): Buffer => {
  const networks = v6.map(({ first, last, code }) => ({ first: networkFrom(first), last: networkTo(last), code }));
  const codes = [...new Set([...v4, ...v6].map(({ code }) => code))].sort();
  // Numbers of countries are bytes.
  if (codes.length > 254) throw new Error(`${codes.length} countries are too many`);
  const numbers = new Map(codes.map((code, index) => [code, index + 1]));
  const bytes: number[] = [];
  const put = (value: number): void => {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  };
  const putText = (text: string): void => {
    put(text.length);
    for (const byte of Buffer.from(text, 'latin1')) bytes.push(byte);
  };
  putText(codes.join(''));
  for (const [ranges, lowBits] of [
    [v4, 0n],
    [networks, 32n],
  ] as const) {
    const starts = startsOf(ranges, 1n << (32n + lowBits));
    put(starts.length);
    let last = 0;
    for (const { at } of starts) {
      const high = Number(at >> lowBits);
      put(high - last);
      last = high;
    }
    if (lowBits > 0n) for (const { at } of starts) put(Number(at & 0xffff_ffffn));
    for (const { code } of starts) bytes.push(numbers.get(code) ?? 0);
  }
  // The best quality would save another quarter, and take 6 s.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  return brotliCompressSync(Buffer.from(bytes), { params });
};

/** Ranges inside of a /64 are left out. */
const networkFrom = (first: bigint): bigint => (first + 0xffff_ffff_ffff_ffffn) >> 64n;
const networkTo = (last: bigint): bigint => ((last + 1n) >> 64n) - 1n;

/** Where the country changes, before `end`. Ranges may overlap: the smallest one counts, since it is the most specific. */
const startsOf = (ranges: readonly CountryRange[], end: bigint): readonly { readonly at: bigint; readonly code: string }[] => {
  const sorted = ranges.filter(({ first, last }) => first <= last).sort((a, b) => (a.first < b.first ? -1 : 1));
  const edges = new BigUint64Array(sorted.flatMap(({ first, last }) => (last + 1n < end ? [first, last + 1n] : [first]))).sort();
  const starts: { at: bigint; code: string }[] = [];
  let open: CountryRange[] = [];
  let next = 0;
  for (const at of edges) {
    if (open.some(({ last }) => last < at)) open = open.filter(({ last }) => last >= at);
    for (; sorted[next]?.first === at; next++) open.push(sorted[next] as CountryRange);
    const code = open.toSorted((a, b) => (size(a) < size(b) ? -1 : 1))[0]?.code ?? '';
    if (starts.at(-1)?.code !== code) starts.push({ at, code });
  }
  return starts;
};

const size = ({ first, last }: CountryRange): bigint => last - first;
