/** A delivery goes to its webhook as it is at the moment of sending. */
import { deepEqual, equal } from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { beforeEach, test } from 'vitest';
import { handler as match } from '../../../../functions/webhook/match.ts';
import { newId, unsafeTenant } from '../../../../shared/platform/index.ts';
import type { WebhookRecord } from '../../../../shared/webhook/model/record.ts';
import { createWebhookEnv } from '../../../harness/env/webhook-env.ts';

const t = await createWebhookEnv();

beforeEach(t.resetEnv);

/** After its first attempt, which failed. */
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
  test(`a webhook that is ${what} while a retry waits hears nothing more, and the delivery says why`, async () => {
    const webhook = await waitingForRetry();
    change(webhook);
    await t.run();
    deepEqual(t.attemptsTo(webhook), [1]);
    const { status, attempts, lastError, nextAttemptAt, statusCode } = t.deliveryOf(webhook);
    deepEqual([status, attempts, lastError, nextAttemptAt, statusCode], ['failed', 1, error, null, 500]);
  });

test('a webhook that is re-addressed while a retry waits hears it at its new address, and nothing more at the old one', async () => {
  const webhook = await waitingForRetry();
  const moved = t.addWebhook({ ...webhook, url: t.receiver.url(t.newPath()) });
  await t.run();
  deepEqual([t.attemptsTo(webhook), t.attemptsTo(moved)], [[1], [2]]);
  const { status, request } = t.deliveryOf(webhook);
  deepEqual([status, request?.url], ['delivered', moved.url]);
});

test('a retry that waited is signed with the secret of now, and carries the headers of now', async () => {
  const webhook = await waitingForRetry({ sealedHeaders: Buffer.from('X-Environment:old') });
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  t.addWebhook({ ...webhook, sealedSecret: Buffer.from(secret), sealedHeaders: Buffer.from('X-Environment:new') });
  await t.run();
  const [first, second] = t.requestsTo(webhook);
  deepEqual([first?.headers['x-environment'], second?.headers['x-environment']], ['old', 'new']);
  // The library compares with the real time, which this clock is not.
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

test('what is kept of a request hides signatures and credentials, and the table never has a secret', async () => {
  const webhook = await waitingForRetry({ sealedHeaders: Buffer.from('Authorization:Bearer of-the-endpoint') });
  const { request } = t.deliveryOf(webhook);
  equal(request?.headers.Authorization, '********');
  equal(request?.headers['X-Service-Signature'], '********');
  equal(request?.headers['webhook-signature'], '********');
  equal(t.requestsTo(webhook)[0]?.headers.authorization, 'Bearer of-the-endpoint');
  const kept = JSON.stringify([t.table.find('DELIVERY#'), t.sent]);
  equal(kept.includes('of-the-endpoint') || kept.includes('whsec_'), false);
});

test('a webhook that is disabled, or subscribes to something else, gets no delivery at all', async () => {
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

test('a webhook hears nothing that happened before it was added, however late that is matched', async () => {
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

test('two organizations that hear everything hear their own only', async () => {
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
