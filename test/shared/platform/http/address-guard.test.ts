import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'vitest';
import {
  BlockedAddress,
  checkAddress,
  guardedAgent,
  guardedLookup,
  guardUrl,
  isPublic,
  type ResolveHostname,
} from '../../../../shared/platform/index.ts';

const blocked = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.254', '127.0.0.1', '127.255.255.254'],
  ...['169.254.169.254', '169.254.170.2', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.0.1'],
  ...[
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
  ],
  ...[
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:8.8.8.8',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '100::1',
  ],
  ...[
    '2001::1',
    '2001:db8::1',
    '2002:a9fe:a9fe::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
  ],
  ...[
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '::127.0.0.1',
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    'not an address',
  ],
];
const open = [
  ...['1.1.1.1', '8.8.8.8', '52.95.110.1', '100.63.255.254', '100.128.0.1', '172.15.255.255', '172.32.0.1', '192.0.1.1'],
  ...[
    '169.253.255.255',
    '169.255.0.1',
    '198.17.255.255',
    '198.20.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001::1',
  ],
];
for (const address of blocked) test(`${address || 'nothing'} is not public`, () => equal(isPublic(address), false));
for (const address of open) test(`${address} is public`, () => equal(isPublic(address), true));

/** Spellings that try to bypass a guard: the parser maps them to the same address. */
const tricks = [
  ...['https://127.0.0.1', 'https://127.1', 'https://0177.0.0.1', 'https://0x7f.1', 'https://2130706433', 'https://①②⑦.0.0.1'],
  ...[
    'https://0',
    'https://0xA9FEA9FE',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]',
    'https://[::]',
    'https://10.0.0.5:443',
  ],
  ...[
    'https://[::ffff:169.254.169.254]',
    'https://[::ffff:7f00:1]',
    'https://[64:ff9b::a9fe:a9fe]',
    'https://[2002:a9fe:a9fe::1]',
  ],
  ...[
    'https://[fd00:ec2::254]',
    'https://127.0.0.1.',
    'https://１２７.０.０.１',
    'https://192.168.1.1:8443',
    'HTTPS://127.0.0.1',
  ],
];
for (const text of tricks)
  test(`guardUrl: ${text} is rejected`, () =>
    throws(() => guardUrl(text, []), { name: 'BlockedAddress', message: 'must be a public address' }));

for (const text of [
  ...['http://example.com', 'ftp://example.com', 'https:example.com', 'https:/example.com', '//example.com', 'example.com', ''],
  ...[
    'https://',
    'https://?',
    'javascript:alert(1)',
    'data:text/plain,x',
    'https://exa mple.com',
    'https://example.com\\@evil.io',
  ],
  ...[' https://example.com', 'https://example.com\n', 'file:///etc/passwd', 'https://[::1', 'https://example.com:99999'],
])
  test(`guardUrl: ${JSON.stringify(text)} is not an https URL`, () =>
    throws(() => guardUrl(text, []), { name: 'BlockedAddress', message: 'must be a valid HTTPS URL' }));

for (const text of ['https://user:pass@example.com', 'https://user@example.com', 'https://@example.com', 'https://:@example.com'])
  test(`guardUrl: ${text} contains credentials`, () =>
    throws(() => guardUrl(text, []), { name: 'BlockedAddress', message: 'must not contain credentials' }));

test('guardUrl: a trusted host may be private and use http, at its port only', () => {
  const trusted = ['localhost:4566', '10.0.0.5', '[::1]:9000'];
  for (const text of [
    'http://localhost:4566',
    'https://LOCALHOST:4566/',
    'http://10.0.0.5',
    'https://10.0.0.5:9',
    'http://[::1]:9000',
  ])
    equal(guardUrl(text, trusted).isTrusted, true, text);
  for (const text of ['http://localhost:4567', 'http://localhost', 'https://127.0.0.1:4566', 'http://[::1]:9001'])
    throws(() => guardUrl(text, trusted), BlockedAddress, text);
  throws(() => guardUrl('http://user@localhost:4566', trusted), /credentials/);
});

const names =
  (...answers: readonly (readonly string[])[]): ResolveHostname =>
  (_name, _options, callback) => {
    const now = answers.length > 1 ? (answers as (readonly string[])[]).shift() : answers[0];
    callback(
      null,
      (now ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
const look = (resolve: ResolveHostname, all = true) =>
  new Promise((done, fail) => {
    guardedLookup(resolve)('example.com', { all }, (error, address) => (error ? fail(error) : done(address)));
  });

test('guardedLookup: a name is looked up once, and the connection uses the result', async () => {
  deepEqual(await look(names(['1.1.1.1', '2606:4700::1111'])), [
    { address: '1.1.1.1', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]);
  equal(await look(names(['1.1.1.1']), false), '1.1.1.1');
});

test('guardedLookup: a name with a private address among public ones, or without addresses, is rejected', async () => {
  await rejects(look(names(['1.1.1.1', '10.0.0.5'])), BlockedAddress);
  await rejects(look(names(['169.254.169.254'])), BlockedAddress);
  await rejects(look(names([])), BlockedAddress);
});

test('guardedLookup: a name that resolves to a private address the second time is rejected then', async () => {
  const rebinding = names(['1.1.1.1'], ['169.254.169.254']);
  ok(await look(rebinding));
  await rejects(look(rebinding), BlockedAddress);
});

test('checkAddress: a private address is rejected at once; a name that does not resolve passes', async () => {
  const guarded = guardUrl('https://example.com', []);
  await rejects(checkAddress(guarded, names(['10.0.0.5'])), BlockedAddress);
  await checkAddress(guarded, names(['1.1.1.1']));
  await checkAddress(guarded, (_name, _options, callback) => callback(new Error('ENOTFOUND'), []));
  await checkAddress(guarded, () => {}, 10);
  await checkAddress(guardUrl('http://localhost:1', ['localhost:1']), names(['127.0.0.1']));
});

for (const text of [
  'https://localhost',
  'https://LOCALHOST.:8443/x',
  'https://a.localhost',
  'https://intranet',
  'https://metadata.google.internal',
  'https://printer.local.',
  'https://router.home.arpa',
])
  test(`checkAddress: ${text} is rejected whatever it resolves to`, () =>
    rejects(checkAddress(guardUrl(text, []), names(['93.184.215.14'])), BlockedAddress));

test('guardedLookup: at most two addresses of each family are tried', async () => {
  const many = Array.from({ length: 300 }, (_, n) => ({
    address: `203.0.${n % 100}.9`.replace('203.0.113', '203.0.112'),
    family: 4,
  }));
  const six = ['2606:4700::1', '2606:4700::2', '2606:4700::3'].map((address) => ({ address, family: 6 }));
  const lookup = guardedLookup((_name, _options, callback) => callback(null, [...six, ...many]));
  const tried = await new Promise((done) => lookup('many.example.com', { all: true }, (_error, addresses) => done(addresses)));
  deepEqual(tried, [...many.slice(0, 2), ...six.slice(0, 2)]);
});

test('guardedAgent: a connection does not reach a name of this machine', async () => {
  let reached = 0;
  const server = createServer(() => reached++).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  const agent = guardedAgent({ url: new URL(`https://localhost:${port}`), isTrusted: false }, 1);
  const failure = await new Promise<Error>((done) => {
    request(`https://localhost:${port}`, { agent }).once('error', done).end();
  });
  ok(failure instanceof BlockedAddress, String(failure));
  equal(reached, 0);
  server.close();
});
