import { equal, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { BlockedAddress, guardWebhookUrl, postGuarded } from '../../../../shared/platform/index.ts';
import { startReceiver } from '../../../harness/stage/receiver.ts';

const notHttps = [
  ...['', ' ', 'https://', 'https:///', 'https://?', 'https://#', 'https://:443', 'https:example.com', 'https:/example.com'],
  ...[
    'http://example.com',
    'HTTP://example.com',
    'ftp://example.com',
    'file:///etc/passwd',
    'gopher://example.com',
    'ws://example.com',
  ],
  ...[
    '//example.com',
    'example.com',
    'example.com:443',
    'javascript:alert(1)',
    'data:text/plain,x',
    'blob:https://example.com/x',
  ],
  ...[' https://example.com', 'https://example.com ', 'https://example.com\n', '\thttps://example.com', 'https://exam\tple.com'],
  ...[
    'https://exa mple.com',
    'https:\\\\example.com',
    'https://example.com\\@10.0.0.1',
    'https://[::1',
    'https://example.com:99999',
  ],
  ...['https://exa%00mple.com', 'https://256.256.256.256', 'https://1.2.3.4.5', 'https://0x', 'https://%'],
];
for (const text of notHttps)
  test(`guardWebhookUrl: ${JSON.stringify(text)} is not a webhook URL`, () =>
    throws(() => guardWebhookUrl(text, []), { name: 'BlockedAddress', message: /^must be a (valid HTTPS URL|public address)$/ }));

for (const text of [
  'https://example.com',
  'HTTPS://EXAMPLE.COM/',
  'https://example.com:8443/a?b=c#d',
  'https://1.1.1.1',
  'https://[2606:4700::1111]/',
  'https://bücher.example/ü',
])
  test(`guardWebhookUrl: ${text} is a webhook URL`, () => equal(guardWebhookUrl(text, []).isTrusted, false));

/** One address in spellings that try to bypass a guard. */
const odd = [
  ...[
    'https://127.0.0.1',
    'https://127.1',
    'https://127.0.1',
    'https://0177.0.0.1',
    'https://0177.1',
    'https://0x7f.1',
    'https://0x7f000001',
  ],
  ...[
    'https://2130706433',
    'https://017700000001',
    'https://①②⑦.⓪.⓪.①',
    'https://１２７.０.０.１',
    'https://127。0。0。1',
    'https://127.0.0.1.',
  ],
  ...[
    'https://0',
    'https://0.0.0.0',
    'https://0x0',
    'https://%31%32%37.0.0.1',
    'https://[::]',
    'https://[::1]',
    'https://[0:0:0:0:0:0:0:1]',
  ],
  ...[
    'https://0xA9FEA9FE',
    'https://2852039166',
    'https://0251.0376.0251.0376',
    'https://169.254.43518',
    'https://0xA9.0xFE.0xA9.0xFE',
  ],
  ...[
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:7f00:1]',
    'https://[::ffff:169.254.169.254]',
    'https://[0:0:0:0:0:ffff:a9fe:a9fe]',
  ],
  ...[
    'https://[64:ff9b::a9fe:a9fe]',
    'https://[64:ff9b:1::a9fe:a9fe]',
    'https://[2002:a9fe:a9fe::1]',
    'https://[2001:0:a9fe:a9fe::1]',
  ],
  ...[
    'https://[fd00:ec2::254]',
    'https://[fe80::1]',
    'https://[::127.0.0.1]',
    'https://[ff02::1]',
    'https://[100::1]',
    'https://[5f00::1]',
  ],
  ...[
    'https://10.0.0.5',
    'https://172.16.0.1:8443/x',
    'https://192.168.0.1?x=1',
    'https://100.64.0.1#x',
    'https://255.255.255.255',
    'https://224.0.0.1',
  ],
];
for (const text of odd)
  test(`postGuarded: ${text} is rejected as input and not connected to if stored`, async () => {
    throws(() => guardWebhookUrl(text, ['localhost']), { name: 'BlockedAddress', message: 'must be a public address' });
    const { durationMs: _, ...outcome } = await postGuarded({
      url: text,
      headers: {},
      body: '',
      timeoutMs: 20_000,
      trusted: ['localhost'],
    });
    equal(JSON.stringify(outcome), '{"kind":"failed","reason":"unreachable"}');
  });

for (const text of [
  'https://user:secret@example.com',
  'https://user@example.com',
  'https://@example.com',
  'https://127.0.0.1@example.com',
  'https://example.com@127.0.0.1',
  'https://example.com:443@localhost/',
])
  test(`guardWebhookUrl: ${text} contains credentials`, () => throws(() => guardWebhookUrl(text, ['localhost']), BlockedAddress));

test('guardWebhookUrl: a trusted host may be private, at its ports, and requires https', async (t) => {
  const receiver = await startReceiver();
  t.onTestFinished(receiver.stop);
  equal(guardWebhookUrl(receiver.url('/x'), ['localhost']).isTrusted, true);
  equal(guardWebhookUrl(receiver.url('/x'), [`localhost:${receiver.port}`]).isTrusted, true);
  equal(guardWebhookUrl(receiver.url('/x'), ['localhost:1']).isTrusted, false);
  throws(() => guardWebhookUrl('http://localhost:4566', ['localhost']), { message: 'must be a valid HTTPS URL' });
  for (const [trusted, kind] of [
    [['localhost'], 'answered'],
    [['localhost:1'], 'failed'],
    [[], 'failed'],
  ] as const)
    equal((await postGuarded({ url: receiver.url(), headers: {}, body: '', timeoutMs: 20_000, trusted })).kind, kind);
  equal(receiver.count.connections, 1);
});

test('guardWebhookUrl: the service’s own address is rejected in every spelling', () => {
  const own = 'https://api.example.com';
  const message = 'must not be an address of this service';
  for (const text of ['https://api.example.com', 'https://API.Example.com:443/api/v1/webhooks?x=1', 'https://api.example.com./x'])
    throws(() => guardWebhookUrl(text, [], own), { name: 'BlockedAddress', message });
  throws(() => guardWebhookUrl('https://localhost:4000/x', ['localhost'], 'http://localhost:4000'), { message });
  for (const text of [
    'https://hooks.example.com',
    'https://api.example.com:8443',
    'https://api.example.com.evil.io',
    'https://evil.io/api.example.com',
  ])
    equal(guardWebhookUrl(text, [], own).isTrusted, false, text);
  equal(guardWebhookUrl('https://localhost:4001', ['localhost'], 'http://localhost:4000').isTrusted, true);
});
