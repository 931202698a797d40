import { equal, rejects, throws } from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';
import { test, vi } from 'vitest';
import { countryOfAddress } from '../../../../shared/platform/country/country-of-address.ts';
import { findCountry, unpackCountryTable } from '../../../../shared/platform/country/country-table.ts';
import { packCountryTable, readCountryRanges } from '../../../../shared/platform/country/pack-country-table.ts';

// Before any other lookup, because the table is read once.
test('countryOfAddress: a table that could not be read is read again by the next lookup', async () => {
  const reading = vi.spyOn(fs, 'readFileSync').mockImplementationOnce(() => {
    throw new Error('too many open files');
  });
  syncBuiltinESMExports();
  try {
    await rejects(countryOfAddress('80.187.1.1'), /too many open files/);
    equal(await countryOfAddress('80.187.1.1'), 'DE');
  } finally {
    reading.mockRestore();
    syncBuiltinESMExports();
  }
});

for (const [address, country] of [
  ['80.187.1.1', 'DE'],
  ['8.8.8.8', 'US'],
  ['200.160.2.3', 'BR'],
  ['::ffff:80.187.1.1', 'DE'],
  ['2003:e1::1', 'DE'],
  ['2001:4860:4860::8888', 'US'],
  ['2804:10:0:0:0:0:0:1', 'BR'],
] as const)
  test(`countryOfAddress: ${address} is in ${country}`, async () => equal(await countryOfAddress(address), country));

for (const address of [
  null,
  '',
  'localhost',
  '127.0.0.1',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '203.0.113.7',
  '255.255.255.255',
  '::1',
  '::ffff:127.0.0.1',
  'fe80::1',
  'fd00::1',
  '2001:db8::1',
  '80.187.1',
])
  test(`countryOfAddress: ${address} is in no country`, async () => equal(await countryOfAddress(address), null));

const address4 = (number: number): string => [24, 16, 8, 0].map((bits) => (number >>> bits) & 255).join('.');
const address6 = (network: bigint): string =>
  `${[48n, 32n, 16n, 0n].map((bits) => ((network >> bits) & 0xffffn).toString(16)).join(':')}::1`;

test('findCountry: of the ranges that contain an address the smallest counts', () => {
  const code = fc.constantFrom('DE', 'FR', 'JP', 'US');
  const range = fc.record({ first: fc.integer({ min: 0, max: 60 }), length: fc.integer({ min: 0, max: 20 }), code });
  fc.assert(
    fc.property(fc.uniqueArray(range, { selector: ({ length }) => length, maxLength: 8 }), (drawn) => {
      const csv = (unit: bigint): string =>
        drawn
          .map(({ first, length, ...one }) => `${BigInt(first) * unit},${BigInt(first + length + 1) * unit - 1n},${one.code}\n`)
          .join('');
      const table = unpackCountryTable(packCountryTable(readCountryRanges(csv(1n)), readCountryRanges(csv(1n << 64n))));
      for (let at = 0; at <= 90; at++) {
        const inside = drawn.filter(({ first, length }) => first <= at && at <= first + length);
        const expected = inside.sort((a, b) => a.length - b.length)[0]?.code ?? null;
        equal(findCountry(table, address4(at)), expected, `IPv4 ${at}`);
        equal(findCountry(table, address6(BigInt(at))), expected, `IPv6 ${at}`);
      }
    }),
  );
});

test('findCountry: a range inside of a /64 is left out, and the networks at both ends of the space are found', () => {
  const last = (1n << 128n) - 1n;
  const csv = `0,${(1n << 64n) - 1n},DE\n5,9,FR\n${last - (1n << 64n) + 1n},${last},JP\n`;
  const table = unpackCountryTable(
    packCountryTable(readCountryRanges(`${2 ** 32 - 1},${2 ** 32 - 1},US`), readCountryRanges(csv)),
  );
  equal(findCountry(table, '::7'), 'DE');
  equal(findCountry(table, 'ffff:ffff:ffff:ffff::'), 'JP');
  equal(findCountry(table, '255.255.255.255'), 'US');
  equal(findCountry(table, '255.255.255.254'), null);
});

test('readCountryRanges: a line without a country is refused', () => {
  throws(() => readCountryRanges('1,2,\n'), /without a country: 1,2,/);
});
