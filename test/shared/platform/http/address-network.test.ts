import { equal } from 'node:assert/strict';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { test } from 'vitest';
import { isPublic } from '../../../../shared/platform/index.ts';

/** Special networks: first and last address, and the neighbours on both sides if they are public. */
const networks: readonly (readonly [name: string, first: string, last: string, ...neighbours: string[]])[] = [
  ['this network', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['private 10/8', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['carrier-grade NAT', '100.64.0.0', '100.127.255.255', '100.63.255.254', '100.63.255.255', '100.128.0.0', '100.128.0.1'],
  ['loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['link-local, metadata', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['private 172.16/12', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['protocol assignments', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['documentation 1', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['6to4 relays', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['private 192.168/16', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['benchmarks', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['documentation 2', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['documentation 3', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['multicast', '224.0.0.0', '239.255.255.255', '223.255.255.255'],
  ['reserved and broadcast', '240.0.0.0', '255.255.255.255'],
  ['unspecified', '::', '::'],
  ['loopback of IPv6', '::1', '::1'],
  ['IPv4-compatible', '::7f00:1', '::ffff:ffff'],
  ['IPv4-mapped', '::ffff:0.0.0.0', '::ffff:255.255.255.255'],
  ['IPv4-translated', '::ffff:0:0:0', '::ffff:0:ffff:ffff'],
  ['NAT64', '64:ff9b::', '64:ff9b::ffff:ffff'],
  ['local NAT64', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['discard', '100::', '100::ffff:ffff:ffff:ffff'],
  ['Teredo and protocol assignments', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  ['documentation of IPv6', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
  ['more documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', '3fff:1000::'],
  ['segment routing', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['not given out', '4000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['link-local of IPv6', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['multicast of IPv6', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];
for (const [name, first, last, ...neighbours] of networks)
  test(`isPublic: ${name} is blocked from its first to its last address, its neighbours are not`, () => {
    for (const address of [first, last]) equal(isPublic(address), false, address);
    for (const address of neighbours) equal(isPublic(address), true, address);
  });

/** Metadata services and the machine itself, in every form that embeds an IPv4 address. */
const inside = ['169.254.169.254', '169.254.170.2', '127.0.0.1', '10.0.0.5', '192.168.1.1', '100.100.100.200', '0.0.0.0'];
test('isPublic: an embedded IPv4 address does not bypass the guard', () => {
  for (const address of inside) {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
    const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
    const forms = [
      ...[`::ffff:${address}`, `::ffff:${high}:${low}`, `0:0:0:0:0:FFFF:${high}:${low}`, `::${address}`, `::ffff:0:${address}`],
      ...[`64:ff9b::${address}`, `64:ff9b::${high}:${low}`, `64:ff9b:1::${address}`, `2002:${high}:${low}::1`],
      ...[`2001:0:${high}:${low}::1`, `2001:0:4136:e378:8000:63bf:${high}:${low}`, `fe80::${address}%eth0`],
    ];
    for (const form of forms) equal(isPublic(form), false, form);
  }
});

test('isPublic: malformed addresses are blocked', () => {
  for (const text of [
    '',
    ' ',
    '1.1.1',
    '1.1.1.1.1',
    '01.1.1.1',
    '1.1.1.256',
    '1.1.1.1 ',
    '1.1.1.1/32',
    '[2606:4700::1111]',
    '::g',
    '2606:4700::1111%1',
  ])
    equal(isPublic(text), false, text);
});

/** Half of them random, half of them in or beside a special network. */
const near = networks.flatMap(([, ...addresses]) => addresses.map((address) => ipaddr.parse(address).toByteArray()));
const bytes = (length: 4 | 16) =>
  fc.oneof(
    fc.array(fc.nat(255), { minLength: length, maxLength: length }),
    fc
      .tuple(
        fc.constantFrom(...near.filter((one) => one.length === length)),
        fc.nat(length * 8 - 1),
        fc.array(fc.nat(255), { minLength: length, maxLength: length }),
      )
      .map(([base, bits, noise]) => base.map((byte, n) => mixed(byte, noise[n] ?? 0, bits - n * 8))),
  );
/** The first bits of one address and the remaining bits of the other. */
const mixed = (kept: number, noise: number, bits: number): number => {
  const mask = bits <= 0 ? 0 : bits >= 8 ? 255 : 256 - (1 << (8 - bits));
  return (kept & mask) | (noise & ~mask & 255);
};

test('isPublic: every address that ipaddr.js considers special is blocked', () => {
  fc.assert(
    fc.property(fc.oneof(bytes(4), bytes(16)), (given) => {
      const other = ipaddr.fromByteArray(given);
      const isOpen = isPublic(other.toString());
      if (other.range() !== 'unicast') equal(isOpen, false, `${other.toString()} is ${other.range()}`);
    }),
    { numRuns: 20_000 },
  );
});

test('isPublic: of the IPv4 addresses that ipaddr.js considers public, only our special networks are blocked', () => {
  fc.assert(
    fc.property(bytes(4), (given) => {
      const other = ipaddr.fromByteArray(given);
      equal(isPublic(other.toString()), other.range() === 'unicast', other.toString());
    }),
    { numRuns: 10_000 },
  );
});
