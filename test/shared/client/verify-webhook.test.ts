/** Deliveries as the service composes them, verified by the client. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { type SignatureFormat, verifyWebhook, type WebhookDelivery, WebhookFailure } from '../../../shared/client/index.ts';
import { composeRequest } from '../../../shared/webhook/request/compose-request.ts';
import { firstAttempt, sampleOf, secretsOf, webhookOf } from '../../harness/builders/sample-webhook.ts';

process.env.SERVICE_VERSION = '0.0.0';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAAAAAAAAAAA=';
const attempt = firstAttempt();
const event = sampleOf('backup.completed');
const now = attempt.sentAt;

const deliveryOf = (format: SignatureFormat, ...secrets: Parameters<typeof secretsOf>): WebhookDelivery => {
  const sent = format === 'simple' ? 'simple' : 'standard';
  const { headers, body } = composeRequest(webhookOf(sent), {
    secrets: secretsOf(...secrets),
    event,
    attempt,
  });
  return { format, headers, body, secret, now };
};
const verify = (delivery: WebhookDelivery) => verifyWebhook(delivery as WebhookDelivery & { format: 'standard' });
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1_000);

for (const format of ['standard', 'standard-webhooks', 'simple'] as const) {
  const given = deliveryOf(format, secret);
  const withHeader = (name: string, value: string): WebhookDelivery => ({
    ...given,
    headers: { ...given.headers, [name]: value },
  });
  const signatureName = {
    standard: 'X-Service-Signature',
    'standard-webhooks': 'webhook-signature',
    simple: 'X-Webhook-Signature',
  };

  test(`webhook, ${format}: a delivery is accepted, with headers and body in any form, and during a rotation`, async () => {
    const { headers, body } = given;
    const received = await verify(given);
    deepEqual(received, JSON.parse(String(body)));
    deepEqual(await verify({ ...given, headers: new Headers(headers as Record<string, string>) }), received);
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    deepEqual(await verify({ ...given, headers: lower, body: Buffer.from(String(body)) }), received);
    const rotating = deliveryOf(format, 'another secret', secret);
    for (const one of [secret, 'another secret', ['a third secret', secret]])
      deepEqual(await verify({ ...rotating, secret: one }), received);
  });

  test(`webhook, ${format}: anything else is refused`, async () => {
    const refused: readonly WebhookDelivery[] = [
      { ...given, body: String(given.body).replace('completed', 'complEted') },
      { ...given, secret: `${secret}x` },
      { ...given, headers: {} },
      withHeader(signatureName[format], ''),
      withHeader(signatureName[format], 'sha256=00'),
      withHeader(signatureName[format], 'v1,'),
      ...(format === 'simple'
        ? []
        : [
            { ...given, now: later(301) },
            { ...given, now: later(-301) },
          ]),
      ...(format === 'simple'
        ? []
        : ['NaN', '', String(now.getTime() / 1_000 + 1)].map((at) =>
            withHeader(format === 'standard' ? 'X-Service-Timestamp' : 'webhook-timestamp', at),
          )),
    ];
    for (const delivery of refused) await rejects(verify(delivery), WebhookFailure, JSON.stringify(delivery.headers));
    await rejects(verify({ ...given, secret: '' }), TypeError);
    await rejects(verify({ ...given, secret: [] }), TypeError);
  });
}

test('webhook: a secret that is no base64 is the key itself, and the tolerance can be chosen', async () => {
  const own = {
    ...deliveryOf('standard-webhooks', 'our own secret: 32 characters ok'),
    secret: 'our own secret: 32 characters ok',
  };
  equal((await verify(own)).type, 'backup.completed');
  equal((await verify({ ...own, now: later(590), toleranceSeconds: 600 })).type, 'backup.completed');
});

test('webhook: what was signed for one format is refused as another', async () => {
  const { headers, ...standard } = deliveryOf('standard', secret);
  const given = headers as Readonly<Record<string, string>>;
  const moved = { 'x-webhook-signature': given['X-Service-Signature'] };
  const body = `${given['X-Service-Timestamp']}.${standard.body}`;
  await rejects(verify({ ...standard, format: 'simple', headers: moved, body }), /the body is not JSON/);
  await rejects(verify({ ...standard, format: 'simple', headers: given }), WebhookFailure);
});
