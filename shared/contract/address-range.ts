/** Ranges of IP addresses in CIDR notation. Without `node:net`, because browsers load the contract. */

interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

interface AddressRange extends Address {
  readonly prefix: number;
}

const parseV4 = (text: string): bigint | undefined => {
  const parts = text.split('.');
  // Leading zeros are octal for some readers.
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return undefined;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
};

const parseV6 = (text: string): bigint | undefined => {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const last = dotted ? parseV4(dotted[2] ?? '') : undefined;
  if (dotted && last === undefined) return undefined;
  const plain =
    dotted && last !== undefined ? `${dotted[1]}${(last >> 16n).toString(16)}:${(last & 0xffffn).toString(16)}` : text;
  const halves = plain.split('::');
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return undefined;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail];
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
};

/** `::ffff:0:0/96`: an IPv4 address as some sockets show it. */
const isMapped = (value: bigint): boolean => value >> 32n === 0xffffn;

const parseAddress = (text: string): Address | undefined => {
  const v4 = parseV4(text);
  if (v4 !== undefined) return { bits: 32, value: v4 };
  const v6 = text.includes(':') ? parseV6(text) : undefined;
  if (v6 === undefined) return undefined;
  return isMapped(v6) ? { bits: 32, value: v6 & 0xffff_ffffn } : { bits: 128, value: v6 };
};

const parseRange = (text: string): AddressRange | undefined => {
  const [, host = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text.trim()) ?? [];
  const address = parseAddress(host);
  if (!address) return undefined;
  // The prefix of a mapped address counts the 96 bits in front of the IPv4 address.
  const offset = address.bits === 32 && host.includes(':') ? 96 : 0;
  const prefix = length === undefined ? address.bits : Number(length) - offset;
  if (prefix < 0 || prefix > address.bits) return undefined;
  const rest = BigInt(address.bits - prefix);
  return { bits: address.bits, prefix, value: (address.value >> rest) << rest };
};

const formatV6 = (value: bigint): string => {
  const groups = Array.from({ length: 8 }, (_, n) => ((value >> BigInt(112 - 16 * n)) & 0xffffn).toString(16));
  // RFC 5952: the longest run of zeros, of at least two groups, becomes `::`.
  const runs = groups.join(':').match(/\b0(?::0)+\b/g) ?? [];
  const longest = runs.toSorted((one, other) => other.length - one.length)[0];
  if (longest === undefined) return groups.join(':');
  return groups.join(':').replace(new RegExp(`(^|:)${longest}(:|$)`), '::');
};

const formatV4 = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');

/** The range in one spelling, such as `203.0.113.7/32` for an address and `10.1.0.0/16` for `10.1.2.3/16`; undefined if it is none. */
export const normalAddressRange = (text: string): string | undefined => {
  const range = parseRange(text);
  return range && `${range.bits === 32 ? formatV4(range.value) : formatV6(range.value)}/${range.prefix}`;
};

export const isAddressWithin = (address: string | null, ranges: readonly string[]): boolean => {
  const given = address === null ? undefined : parseAddress(address);
  if (!given) return false;
  return ranges.some((text) => {
    const range = parseRange(text);
    if (range?.bits !== given.bits) return false;
    const rest = BigInt(given.bits - range.prefix);
    return given.value >> rest === range.value >> rest;
  });
};
