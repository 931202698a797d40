import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { isAddressWithin, normalAddressRange } from '../../../shared/contract/address-range.ts';

test('normalAddressRange: every spelling of a range becomes one', () => {
  for (const [given, normal] of [
    ['203.0.113.7', '203.0.113.7/32'],
    [' 10.1.2.3/16 ', '10.1.0.0/16'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1/128'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
    ['::', '::/128'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3/128'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221/128'],
  ])
    equal(normalAddressRange(given!), normal);
});

test('normalAddressRange: what is no address or range is undefined', () => {
  const wrong = [
    '',
    'x',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '1.2.3.4/33',
    '1.2.3.4/-1',
    '1.2.3.4/',
    '::1/129',
    ':::',
    '1::2::3',
  ];
  const more = [
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    'fe80::1%eth0',
    '::ffff:10.0.0.0/8',
    '1.2.3.4/8/8',
    'example.com',
  ];
  deepEqual(
    [...wrong, ...more].map(normalAddressRange),
    [...wrong, ...more].map(() => undefined),
  );
});

test('isAddressWithin: compares within one family, and an IPv4 address in IPv6 form as what it is', () => {
  const ranges = ['198.51.100.0/28', '2001:db8:7::/48'];
  for (const address of ['198.51.100.0', '198.51.100.15', '::ffff:198.51.100.1', '2001:db8:7:ffff::1'])
    equal(isAddressWithin(address, ranges), true);
  for (const address of ['198.51.100.16', '2001:db8:8::', '::198.51.100.1', '', 'x', null])
    equal(isAddressWithin(address, ranges), false);
  equal(isAddressWithin('8.8.8.8', ['0.0.0.0/0']), true);
  equal(isAddressWithin('::1', ['0.0.0.0/0']), false);
});
