import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { isMaskedUrl, maskUrl } from '../../../../shared/webhook/request/mask-url.ts';

const mask = '********';
const uuid = '0b1f2c3d-4e5f-6789-abcd-ef0123456789';

for (const [name, url, shown] of [
  ['Slack', `https://hooks.slack.com/services/T0/B0/${'X'.repeat(24)}`, `https://hooks.slack.com/services/T0/B0/${mask}`],
  [
    'Slack with its own ids',
    'https://hooks.slack.com/services/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',
    `https://hooks.slack.com/services/${mask}/${mask}/${mask}`,
  ],
  [
    'Discord',
    'https://discord.com/api/webhooks/1234567890123456789/aB-cD_eF1gH',
    `https://discord.com/api/webhooks/${mask}/${mask}`,
  ],
  [
    'Teams',
    `https://acme.webhook.office.com/webhookb2/${uuid}@${uuid}/IncomingWebhook/${'ab12'.repeat(8)}/${uuid}`,
    `https://acme.webhook.office.com/webhookb2/${mask}/IncomingWebhook/${mask}/${mask}`,
  ],
  ['Zapier', 'https://hooks.zapier.com/hooks/catch/1234567/b1cd2ef/', `https://hooks.zapier.com/hooks/catch/1234567/${mask}/`],
  ['Telegram', 'https://api.telegram.org/bot123456:AAHdqTcv/sendMessage', `https://api.telegram.org/${mask}/sendMessage`],
  [
    'Google Chat',
    'https://chat.googleapis.com/v1/spaces/AAAA/messages?key=AIza&token=a=b',
    `https://chat.googleapis.com/v1/spaces/AAAA/messages?key=${mask}&token=${mask}`,
  ],
  ['letters in random case', 'https://a.example/PYulwHmfGhSkn-xnEAv-uFJu', `https://a.example/${mask}`],
  ['the key of a known issuer', 'https://a.example/sk_live_abcdefgh', `https://a.example/${mask}`],
  ['a parameter that is a token', 'https://a.example/hook?sesame', `https://a.example/hook?${mask}`],
  ['a parameter named by a token', `https://a.example/hook?${uuid}=1`, `https://a.example/hook?${mask}=${mask}`],
  ['an escaped token', 'https://a.example/%61b12cd34', `https://a.example/${mask}`],
  ['a malformed escape', 'https://a.example/%zz%zz%zz', `https://a.example/${mask}`],
  ['a fragment', 'https://a.example/hook#sesame', `https://a.example/hook#${mask}`],
  ['a query without a path', 'https://a.example?key=1', `https://a.example?key=${mask}`],
] as const)
  test(`maskUrl: ${name}`, () => {
    equal(maskUrl(url), shown);
    equal(maskUrl(shown), shown, 'masking twice changes nothing');
    equal(isMaskedUrl(shown), true);
    equal(isMaskedUrl(url), false);
  });

for (const url of [
  'https://example.com',
  'https://example.com/',
  'https://EXAMPLE.com:8443/Hooks/backup-events/v2/2026-01-31/',
  'https://example.com/hooks/backup-completed-notifications',
  'https://example.com/webhook12?#',
  'https://example.com/API/incomingWebhook/orders2',
  'https://example.com/hook?a=&b=',
])
  test(`maskUrl: ${url} has nothing to mask`, () => {
    equal(maskUrl(url), url);
    equal(isMaskedUrl(url), false);
  });

test('isMaskedUrl: a mask is recognized percent-encoded, and as the three characters of other tools', () => {
  equal(isMaskedUrl('https://example.com/%2A%2A%2A%2A%2A%2A%2A%2A'), true);
  equal(isMaskedUrl('https://example.com/hook?key=%2a%2a%2a%2a%2a%2a%2a%2a'), true);
  equal(isMaskedUrl('https://example.com/hook?key=***'), true);
  equal(isMaskedUrl('https://example.com/hook?pattern=**'), false);
});
