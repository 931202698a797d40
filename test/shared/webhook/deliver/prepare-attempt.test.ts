/** Every attempt uses the webhook as it is when the attempt is sent. */
import { deepEqual, equal } from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { beforeEach, test } from 'vitest';
import { handler as match } from '../../../../functions/webhook/match.ts';
import { newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import type { WebhookRecord } from '../../../../shared/webhook/model/record.ts';
import { maskUrl } from '../../../../shared/webhook/request/mask-url.ts';
import { createWebhookEnv } from '../../../harness/env/webhook-env.ts';

const t = await createWebhookEnv();

beforeEach(t.resetEnv);

/** A webhook whose first attempt failed. */
const waitingForRetry = async (more: Partial<WebhookRecord> = {}): Promise<WebhookRecord> => {
  const webhook = t.addWebhook(more);
  t.receiver.answer(t.pathOf(webhook), { status: 500 }, { status: 200 });
  await match(t.written({ event: t.newEvent() }));
  await t.run(0);
  return webhook;
};
const remove = ({ pk, sk }: WebhookRecord) => t.table.items.delete(`${pk}\n${sk}`);

for (const [what, change, error] of [
  ['disabled', (webhook: WebhookRecord) => void t.addWebhook({ ...webhook, enabled: false }), 'The webhook is disabled'],
  ['deleted', remove, 'The webhook was deleted'],
] as const)
  test(`deliver: a webhook that is ${what} while a retry is pending gets no request, and the delivery has the reason`, async () => {
    const webhook = await waitingForRetry();
    change(webhook);
    await t.run();
    deepEqual(t.attemptsTo(webhook), [1]);
    const { status, attempts, lastError, nextAttemptAt, statusCode } = t.deliveryOf(webhook);
    deepEqual([status, attempts, lastError, nextAttemptAt, statusCode], ['failed', 1, error, null, 500]);
  });

test('deliver: a pending retry is sent to the new URL of a webhook only', async () => {
  const webhook = await waitingForRetry();
  const moved = t.addWebhook({ ...webhook, url: t.receiver.url(t.newPath()) });
  await t.run();
  deepEqual([t.attemptsTo(webhook), t.attemptsTo(moved)], [[1], [2]]);
  const { status, request } = t.deliveryOf(webhook);
  deepEqual([status, request?.url], ['delivered', moved.url]);
});

test('deliver: a pending retry is sent with the current secret and headers', async () => {
  const webhook = await waitingForRetry({ sealedHeaders: Buffer.from('X-Environment:old') });
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  t.addWebhook({ ...webhook, sealedSecret: Buffer.from(secret), sealedHeaders: Buffer.from('X-Environment:new') });
  await t.run();
  const [first, second] = t.requestsTo(webhook);
  deepEqual([first?.headers['x-environment'], second?.headers['x-environment']], ['old', 'new']);
  // The library compares timestamps with the real time, not with the test clock.
  const verify = (heard: typeof first): boolean => {
    try {
      const [, signature = ''] = String(heard!.headers['webhook-signature']).split(',');
      const at = new Date(Number(heard!.headers['webhook-timestamp']) * 1_000);
      return new Webhook(secret).sign(String(heard!.headers['webhook-id']), at, heard!.body.toString()) === `v1,${signature}`;
    } catch {
      return false;
    }
  };
  deepEqual([verify(first), verify(second)], [false, true]);
});

test('deliver: the stored request masks signatures and credentials, and no secret is stored or enqueued', async () => {
  const webhook = await waitingForRetry({ sealedHeaders: Buffer.from('Authorization:Bearer of-the-endpoint') });
  const { request } = t.deliveryOf(webhook);
  equal(request?.headers.Authorization, '********');
  equal(request?.headers['X-Service-Signature'], '********');
  equal(request?.headers['webhook-signature'], '********');
  equal(t.requestsTo(webhook)[0]?.headers.authorization, 'Bearer of-the-endpoint');
  const kept = JSON.stringify([t.table.find('DELIVERY#'), t.sent]);
  equal(kept.includes('of-the-endpoint') || kept.includes('whsec_'), false);
});

test('match: a webhook that is disabled or not subscribed gets no delivery', async () => {
  const webhooks = [t.addWebhook({ enabled: false }), t.addWebhook({ events: ['backup.*', 'organization.created'] })];
  await match(t.written({ event: t.newEvent() }));
  await t.run();
  deepEqual(
    webhooks.map((webhook) => [t.deliveriesOf(webhook).length, t.requestsTo(webhook).length]),
    [
      [0, 0],
      [0, 0],
    ],
  );
});

test('match: a webhook gets no event from before its creation, however late the event is matched', async () => {
  const before = t.newEvent();
  t.pass(0.001);
  const webhook = t.addWebhook();
  const since = t.newEvent();
  await match(t.written({ event: before }, { event: since }));
  deepEqual(
    t.deliveriesOf(webhook).map(({ event }) => event.id),
    [since.id],
  );
});

test('match: webhooks that subscribe to everything get only events of their own organization', async () => {
  const others = unsafeTenant(newId('organization', t.clock.now()), 'record');
  const [ours, theirs] = [t.addWebhook(), t.addWebhook({}, others)];
  const events = { ours: t.newEvent(), theirs: t.newEvent(others) };
  await match(t.written({ event: events.ours }, { event: events.theirs, of: others }));
  await t.run();
  const idsHeard = (webhook: WebhookRecord) =>
    t.requestsTo(webhook).map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id);
  deepEqual([idsHeard(ours), idsHeard(theirs)], [[events.ours.id], [events.theirs.id]]);
  deepEqual(
    t.sent.map(({ sender }) => sender).sort(),
    [`ORG#${t.tenant.organizationId}`, `ORG#${others.organizationId}`].sort(),
    'each takes its own turn in the queue',
  );
});

test('deliver: a sealed URL is opened for the attempt, and the stored request has no token', async () => {
  const path = `${t.newPath()}/XXXXXXXXXXXXXXXXXXXXXXXX?key=sesame`;
  const whole = t.receiver.url(path);
  const webhook = await waitingForRetry({ url: maskUrl(whole), sealedUrl: Buffer.from(whole) });
  await t.run();
  const { status, request, attempts } = t.deliveryOf(webhook);
  deepEqual([status, attempts, request?.url], ['delivered', 1, maskUrl(whole)]);
  deepEqual(
    t.receiver.requests.filter((heard) => heard.path === path).map(({ method }) => method),
    ['POST'],
  );
  equal(
    JSON.stringify([...t.table.items.values()].filter(({ pk }) => String(pk).startsWith('DELIVERY#'))).includes('sesame'),
    false,
  );
});
