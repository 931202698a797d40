import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { test } from 'vitest';
import { type AlertWebChannel, classifyAlertAnswer, composeAlert } from '../../../../shared/alert/message/index.ts';
import { startAlertProviders } from '../../../harness/alert/alert-providers.ts';
import { sampleAlert } from '../../../harness/builders/sample-alert.ts';

const json = JSON.stringify;
type Case = readonly [AlertWebChannel, number, Record<string, string>, string, object];
const cases: readonly Case[] = [
  ['slack', 200, {}, 'ok', { outcome: 'delivered', reason: 'HTTP 200: ok' }],
  ['slack', 200, {}, '', { outcome: 'delivered', reason: 'HTTP 200' }],
  ['slack', 400, {}, 'invalid_blocks', { outcome: 'rejected', reason: 'HTTP 400: invalid_blocks' }],
  ['slack', 400, {}, 'invalid_token', { outcome: 'gone', reason: 'HTTP 400: invalid_token' }],
  ['slack', 403, {}, 'action_prohibited', { outcome: 'gone', reason: 'HTTP 403: action_prohibited' }],
  ['slack', 404, {}, 'no_service', { outcome: 'gone', reason: 'HTTP 404: no_service' }],
  ['slack', 410, {}, 'channel_is_archived', { outcome: 'gone', reason: 'HTTP 410: channel_is_archived' }],
  [
    'slack',
    429,
    { 'retry-after': '30' },
    'rate_limited',
    { outcome: 'retry', retryAfterSeconds: 30, reason: 'HTTP 429: rate_limited' },
  ],
  ['slack', 429, {}, '', { outcome: 'retry', reason: 'HTTP 429' }],
  ['slack', 500, {}, 'rollup_error', { outcome: 'retry', reason: 'HTTP 500: rollup_error' }],
  ['teams', 200, {}, '1', { outcome: 'delivered', reason: 'HTTP 200' }],
  ['teams', 202, {}, '', { outcome: 'delivered', reason: 'HTTP 202' }],
  [
    'teams',
    200,
    {},
    'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId tcid=0,server=x..',
    { outcome: 'retry', reason: 'HTTP 429' },
  ],
  [
    'teams',
    200,
    {},
    'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413 with ContextId tcid=0..',
    { outcome: 'rejected', reason: 'HTTP 413' },
  ],
  [
    'teams',
    200,
    {},
    'Webhook message delivery failed with error: Error contacting Microsoft Teams endpoint',
    { outcome: 'retry', reason: 'HTTP 502' },
  ],
  [
    'teams',
    404,
    {},
    json({ error: { code: 'WorkflowNotFound', message: 'secret' } }),
    { outcome: 'gone', reason: 'HTTP 404: WorkflowNotFound' },
  ],
  ['teams', 410, {}, '', { outcome: 'gone', reason: 'HTTP 410' }],
  ['teams', 429, { 'Retry-After': '7' }, '', { outcome: 'retry', retryAfterSeconds: 7, reason: 'HTTP 429' }],
  [
    'teams',
    400,
    {},
    json({ error: { code: 'WorkflowTriggerIsNotEnabled' } }),
    { outcome: 'rejected', reason: 'HTTP 400: WorkflowTriggerIsNotEnabled' },
  ],
  ['discord', 204, {}, '', { outcome: 'delivered', reason: 'HTTP 204' }],
  ['discord', 200, {}, json({ id: '1' }), { outcome: 'delivered', reason: 'HTTP 200' }],
  [
    'discord',
    429,
    { 'retry-after': '65', 'x-ratelimit-reset-after': '64.57' },
    json({ message: 'You are being rate limited.', retry_after: 64.57, global: false }),
    { outcome: 'retry', retryAfterSeconds: 65, reason: 'HTTP 429' },
  ],
  ['discord', 429, { 'x-ratelimit-reset-after': '1.2' }, '', { outcome: 'retry', retryAfterSeconds: 2, reason: 'HTTP 429' }],
  ['discord', 429, {}, json({ retry_after: 'soon' }), { outcome: 'retry', reason: 'HTTP 429' }],
  [
    'discord',
    401,
    {},
    json({ message: 'Invalid Webhook Token', code: 50027 }),
    { outcome: 'gone', reason: 'HTTP 401: Invalid Webhook Token (50027)' },
  ],
  [
    'discord',
    404,
    {},
    json({ message: 'Unknown Webhook', code: 10015 }),
    { outcome: 'gone', reason: 'HTTP 404: Unknown Webhook (10015)' },
  ],
  [
    'discord',
    400,
    {},
    json({ message: 'Invalid Form Body', code: 50035, errors: { token: 'x' } }),
    { outcome: 'rejected', reason: 'HTTP 400: Invalid Form Body (50035)' },
  ],
  [
    'pagerduty',
    202,
    {},
    json({ status: 'success', message: 'Event processed', dedup_key: 'x' }),
    { outcome: 'delivered', reason: 'HTTP 202: Event processed' },
  ],
  [
    'pagerduty',
    400,
    {},
    json({ status: 'invalid event', message: 'Event object is invalid', errors: ["'payload.severity' is invalid"] }),
    { outcome: 'rejected', reason: "HTTP 400: Event object is invalid; 'payload.severity' is invalid" },
  ],
  [
    'pagerduty',
    400,
    {},
    json({ status: 'invalid event', message: 'Event object is invalid', errors: ['Invalid routing key'] }),
    { outcome: 'gone', reason: 'HTTP 400: Event object is invalid; Invalid routing key' },
  ],
  ['pagerduty', 429, {}, '', { outcome: 'retry', retryAfterSeconds: 120, reason: 'HTTP 429' }],
  ['pagerduty', 500, {}, '', { outcome: 'retry', reason: 'HTTP 500' }],
  ['pagerduty', 503, { 'retry-after': '12' }, '', { outcome: 'retry', retryAfterSeconds: 12, reason: 'HTTP 503' }],
];

for (const [channel, status, headers, body, expected] of cases)
  test(`${channel}: ${status} ${body.slice(0, 60)} ${json(headers)}`, () =>
    deepEqual(classifyAlertAnswer(channel, { status, headers, body }), expected));

test('a date in Retry-After is compared with the date of the answer', () =>
  equal(
    classifyAlertAnswer('slack', {
      status: 429,
      headers: { 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT', date: 'Wed, 21 Oct 2026 07:28:00 GMT' },
      body: '',
    }).retryAfterSeconds,
    30,
  ));

for (const channel of ['slack', 'teams', 'discord', 'pagerduty'] as const) {
  test(`${channel}: a web page with status 200 is no delivery, and a redirect is not followed`, () => {
    equal(
      classifyAlertAnswer(channel, { status: 200, headers: {}, body: '<!DOCTYPE html><title>Sign in</title>' }).outcome,
      'rejected',
    );
    equal(classifyAlertAnswer(channel, { status: 302, headers: { location: '/x' }, body: '' }).outcome, 'rejected');
  });

  test(`${channel}: the reason contains no text of the endpoint that the provider does not document`, () => {
    const texts = [
      'root:x:0:0',
      'AKIA1234 secret',
      json({ password: 'hunter2' }),
      json(['hunter2']),
      json({ message: 'hunter2' }),
    ];
    for (const body of texts) {
      const { reason } = classifyAlertAnswer(channel, { status: 400, headers: {}, body });
      equal(reason, 'HTTP 400', body);
    }
  });

  test(`${channel}: the answers of the provider's receiver are understood`, async () => {
    const providers = await startAlertProviders();
    const send = async () => {
      const url = providers.url(channel);
      const target = channel === 'pagerduty' ? { url, routingKey: '0123456789abcdef0123456789abcdef' } : { url };
      return post(composeAlert(channel, target, sampleAlert()));
    };
    const outcome = async () => {
      const { status, headers, body } = await send();
      return classifyAlertAnswer(channel, { status, headers, body });
    };
    try {
      equal((await outcome()).outcome, 'delivered');
      providers.limit(channel, { times: 1, seconds: 3 });
      const { outcome: limited, retryAfterSeconds } = await outcome();
      deepEqual({ limited, retryAfterSeconds }, { limited: 'retry', retryAfterSeconds: 3 });
      providers.fail(channel, 1);
      equal((await outcome()).outcome, 'retry');
      equal((await outcome()).outcome, 'delivered');
      providers.remove(channel);
      equal((await outcome()).outcome, 'gone');
      deepEqual(
        providers.received(channel).map(({ status }) => status < 300),
        [true, false, false, true, false],
      );
      const refused = await providers.next(channel, ({ status }) => status === 429);
      ok(refused.json);
      equal((await providers.next(channel)).status < 300, true);
    } finally {
      await providers.stop();
    }
  });
}

const authority = readFileSync(new URL('../../../fixture/tls/ca.pem', import.meta.url));
const post = async ({ url, headers, body }: { url: string; headers: Readonly<Record<string, string>>; body: string }) => {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: Record<string, string>; body: string }>();
  const call = request(url, { method: 'POST', headers, ca: authority, agent: false }, async (response) => {
    let text = '';
    for await (const part of response) text += part;
    resolve({ status: response.statusCode ?? 0, headers: response.headers as Record<string, string>, body: text });
  });
  call.on('error', reject);
  call.end(body);
  return promise;
};
