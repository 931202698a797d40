/** The standard format, byte for byte, verified the way receivers do it. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { beforeAll, describe, test, vi } from 'vitest';
import { composeRequest } from '../../../../shared/webhook/request/compose-request.ts';
import { anyCharacter } from '../../../harness/builders/any-character.ts';
import { firstAttempt, sampleOf, secretsOf, sentAt, webhookOf } from '../../../harness/builders/sample-webhook.ts';

process.env.SERVICE_VERSION = '9.8.7';
// The library compares timestamps with its own clock.
beforeAll(() => vi.useFakeTimers({ toFake: ['Date'], now: sentAt }));

const generated = 'whsec_qWl3kL0bZyqPHh3a0q6vXb6yJb9h8JQ2mW9v3n1sT0c=';
const own = 'a secret of our own';
const webhook = webhookOf('standard');
const unixSeconds = '1772359200';
const hmac = (key: string, text: string | Buffer): string => `sha256=${createHmac('sha256', key).update(text).digest('hex')}`;

describe('standard format', () => {
  const event = sampleOf('backup.completed');
  const { headers, body, url } = composeRequest(webhook, {
    secrets: secretsOf(generated),
    event,
    attempt: {
      ...firstAttempt(),
      attempt: 2,
      retry: { maxAttempts: 5, willRetry: true },
    },
  });

  test('standard format: the body is the event in its envelope, with the metadata of the attempt', () => {
    assert.equal(url, webhook.url);
    assert.equal(
      body,
      JSON.stringify({
        id: event.id,
        type: 'backup.completed',
        timestamp: '2026-03-01T10:00:00.250Z',
        data: event.data,
        metadata: {
          trigger: 'scheduled',
          scheduleId: 'sch_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
          attempt: 2,
          deliveryId: 'dlv_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
          maxAttempts: 5,
          willRetry: true,
        },
      }),
    );
  });

  test('standard format: a first attempt carries no maxAttempts and no willRetry, and a null trigger if there is none', () => {
    const { metadata } = JSON.parse(
      composeRequest(webhook, { secrets: secretsOf(own), event: sampleOf('member.left'), attempt: firstAttempt() }).body,
    ) as {
      metadata: object;
    };
    assert.deepEqual(metadata, { trigger: null, scheduleId: null, attempt: 1, deliveryId: firstAttempt().deliveryId });
  });

  test('standard format: an event of a request carries its id', () => {
    const caused = { ...sampleOf('member.left'), requestId: 'request-1' };
    const { metadata } = JSON.parse(
      composeRequest(webhook, { secrets: secretsOf(own), event: caused, attempt: firstAttempt() }).body,
    ) as {
      metadata: { requestId?: string };
    };
    assert.equal(metadata.requestId, 'request-1');
  });

  test('standard format: a test delivery says so in its signed metadata and in a header', () => {
    const sent = composeRequest(webhook, { secrets: secretsOf(own), event, attempt: { ...firstAttempt(), isTest: true } });
    const { metadata } = JSON.parse(sent.body) as { metadata: { test?: boolean } };
    assert.equal(metadata.test, true);
    assert.equal(sent.headers['X-Service-Test'], 'true');
    assert.equal('X-Service-Test' in headers, false);
  });

  test('standard format: a storage.error event of an earlier version is sent with an error object', () => {
    const sample = sampleOf('storage.error');
    const earlier = { ...sample, data: { ...(sample.data as object), error: 'The bucket does not exist.' } };
    const { data } = JSON.parse(
      composeRequest(webhook, { secrets: secretsOf(own), event: earlier, attempt: firstAttempt() }).body,
    ) as {
      data: { error: object };
    };
    assert.deepEqual(data.error, { code: 'STORAGE_ERROR', message: 'The bucket does not exist.', details: {} });
  });

  test('standard format: the request has exactly the documented headers', () =>
    assert.deepEqual(headers, {
      'User-Agent': 'Backup-Management-Service/9.8.7',
      'Content-Type': 'application/json',
      'X-Service-Timestamp': unixSeconds,
      'X-Service-Delivery-Id': firstAttempt().deliveryId,
      'webhook-id': firstAttempt().deliveryId,
      'webhook-timestamp': unixSeconds,
      'X-Service-Signature': hmac(generated, Buffer.from(`${unixSeconds}.${body}`)),
      'webhook-signature': headers['webhook-signature'],
    }));

  test('standard format: every attempt has its own timestamp and signatures, and the id of the delivery', () => {
    const later = new Date(sentAt.getTime() + 60_900);
    const again = composeRequest(webhook, {
      secrets: secretsOf(generated),
      event,
      attempt: { ...firstAttempt(later), attempt: 2 },
    }).headers;
    assert.equal(again['X-Service-Timestamp'], '1772359261');
    assert.equal(again['webhook-timestamp'], '1772359261');
    assert.equal(again['X-Service-Delivery-Id'], headers['X-Service-Delivery-Id']);
    assert.notEqual(again['X-Service-Signature'], headers['X-Service-Signature']);
    assert.notEqual(again['webhook-signature'], headers['webhook-signature']);
  });

  test('standard format: a request without a secret is refused', () =>
    assert.throws(
      () => composeRequest(webhook, { secrets: secretsOf(undefined), event, attempt: firstAttempt() }),
      /has no secret/,
    ));

  test('standard format: during a rotation both secrets sign, each in its documented place', () => {
    const both = composeRequest(webhook, { secrets: secretsOf(generated, own), event, attempt: firstAttempt() });
    const signed = `${unixSeconds}.${both.body}`;
    assert.equal(both.headers['X-Service-Signature'], hmac(generated, signed));
    assert.equal(both.headers['X-Service-Signature-Previous'], hmac(own, signed));
    const [current, previous, ...more] = (both.headers['webhook-signature'] ?? '').split(' ');
    const alone = (secret: string) =>
      composeRequest(webhook, { secrets: secretsOf(secret), event, attempt: firstAttempt() }).headers['webhook-signature'];
    assert.deepEqual([current, previous, more], [alone(generated), alone(own), []]);
  });
});

describe('Standard Webhooks library', () => {
  const received = (secret: string, previous?: string) =>
    composeRequest(webhook, { secrets: secretsOf(secret, previous), event: sampleOf('restore.failed'), attempt: firstAttempt() });
  const parse = ({ body, headers }: ReturnType<typeof received>, secret: string, isRaw = false) =>
    new Webhook(secret, isRaw ? { format: 'raw' } : undefined).verify(Buffer.from(body), headers);

  test('verifies with a generated secret', () => {
    const request = received(generated);
    assert.deepEqual(parse(request, generated), JSON.parse(request.body));
  });

  test('verifies with a custom secret as raw bytes', () => assert.ok(parse(received(own), own, true)));

  test('verifies with either secret during a rotation, and with no other', () => {
    for (const [current, previous] of [[generated, own] as const, [own, generated] as const]) {
      assert.ok(parse(received(current, previous), generated));
      assert.ok(parse(received(current, previous), own, true));
      assert.throws(() => parse(received(current, previous), 'another secret', true), WebhookVerificationError);
    }
    assert.throws(() => parse(received(generated), own, true), WebhookVerificationError);
  });

  test('refuses a changed body, id or timestamp', () => {
    const { body, headers } = received(generated);
    const library = new Webhook(generated);
    library.verify(body, headers);
    const touched: readonly (readonly [string, Record<string, string>])[] = [
      [body.replace('"failed"', '"passed"'), headers],
      [`${body} `, headers],
      [body, { ...headers, 'webhook-id': 'dlv_01JZ8Q4V0M6T3X9C2B7N5K1HRE' }],
      [body, { ...headers, 'webhook-timestamp': String(Number(unixSeconds) + 1) }],
    ];
    for (const [text, given] of touched) assert.throws(() => library.verify(text, given), /No matching signature/);
  });

  test('refuses a timestamp more than 300 seconds in the past or future', () => {
    for (const offsetMs of [-301_000, 301_000]) {
      const at = new Date(sentAt.getTime() + offsetMs);
      const { body, headers } = composeRequest(webhook, {
        secrets: secretsOf(generated),
        event: sampleOf('backup.failed'),
        attempt: firstAttempt(at),
      });
      assert.throws(() => new Webhook(generated).verify(body, headers), /timestamp too/);
    }
  });

  test('verifies the sent bytes of any event data and returns the data unchanged', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: anyCharacter, minLength: 8 }), (told, secret) => {
        const odd = { told, markup: '</script>\u2028\u2029', large: 1e21, text: secret };
        const event = { ...sampleOf('backup.completed'), data: odd };
        const { body, headers } = composeRequest(webhook, {
          secrets: secretsOf(secret, generated),
          event,
          attempt: firstAttempt(),
        });
        const bytes = Buffer.from(body, 'utf8');
        const got = new Webhook(generated).verify(bytes, headers) as { data: unknown };
        assert.deepEqual(got.data, JSON.parse(JSON.stringify(odd)));
        const signed = Buffer.concat([Buffer.from(`${unixSeconds}.`), bytes]);
        assert.equal(headers['X-Service-Signature'], hmac(secret, signed));
      }),
      { numRuns: 100 },
    ));
});
