/** The deliver function with batches of SQS messages. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import type { SQSEvent } from 'aws-lambda';
import { beforeEach, test } from 'vitest';
import { handler } from '../../../functions/webhook/deliver.ts';
import { handler as match } from '../../../functions/webhook/match.ts';
import { type WebhookRecord, webhookKey } from '../../../shared/webhook/model/record.ts';
import { createWebhookEnv } from '../../harness/env/webhook-env.ts';

const t = await createWebhookEnv();

beforeEach(t.resetEnv);

const run = (...bodies: string[]) =>
  handler({ Records: bodies.map((body, n) => ({ messageId: `m${n}`, body })) } as SQSEvent).then(({ batchItemFailures }) =>
    batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort(),
  );
/** Emits one event for these webhooks and returns their messages in the same order. */
const messagesOf = async (webhooks: readonly WebhookRecord[]): Promise<readonly string[]> => {
  await match(t.written({ event: t.newEvent() }));
  return webhooks.map(({ id }) => t.sent.find((one) => t.taskOf(one).webhookId === id)!.body);
};

test('deliver: of nine good messages and a poison one, nine are delivered once and one is reported', async () => {
  const webhooks = Array.from({ length: 9 }, () => t.addWebhook());
  const bodies = await messagesOf(webhooks);
  deepEqual(await run(...bodies.slice(0, 4), '{"task": ', ...bodies.slice(4)), ['m4']);
  for (const webhook of webhooks) {
    equal(t.requestsTo(webhook).length, 1);
    deepEqual([t.deliveryOf(webhook).status, t.deliveryOf(webhook).attempts], ['delivered', 1]);
  }
});

test('deliver: an invalid message or one of another kind fails and is not processed', async () => {
  const message = (task: object) =>
    JSON.stringify({ id: 'tsk_01JWNVAV000000000000000000', organizationId: t.organizationId, task });
  const webhookId = 'whk_01JWNVAV000000000000000000';
  deepEqual(
    await run(
      message({ kind: 'notify-webhook-disabled', webhookId }),
      message({ kind: 'deliver', webhookId, deliveryId: '../HEALTH', attempt: 1 }),
      message({ kind: 'make-coffee' }),
      '{}',
    ),
    ['m0', 'm1', 'm2', 'm3'],
  );
});

test('deliver: a hanging endpoint delays no other message of the batch, and uses the slow queue from then on', async () => {
  const [hanging, ...others] = Array.from({ length: 10 }, (_, n) => t.addWebhook(n === 0 ? { timeoutMs: 5_000 } : {}));
  t.receiver.answer(t.pathOf(hanging!), 'hang');
  const bodies = await messagesOf([hanging!, ...others]);
  const running = run(...bodies);
  // All others are delivered while the first one still hangs.
  while (others.some((webhook) => t.deliveryOf(webhook).status !== 'delivered')) {
    equal(t.deliveryOf(hanging!).attempts, 0);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  deepEqual(await running, []);
  const { status, attempts, lastError, statusCode } = t.deliveryOf(hanging!);
  deepEqual([status, attempts, lastError, statusCode], ['attempting', 1, 'timed out after 5000 ms', null]);
  t.sent.length = 0;
  await match(t.written({ event: t.newEvent() }));
  deepEqual(
    t.sent.map((one) => [t.taskOf(one).webhookId === hanging!.id, one.queue]).sort(),
    [...others.map(() => [false, 'quick']), [true, 'slow']].sort(),
  );
});

test('deliver: only the failed message of a batch is retried', async () => {
  const [good, sealed] = [t.addWebhook(), t.addWebhook()];
  const bodies = await messagesOf([good, sealed]);
  // Requests are never sent unsigned, so a missing secret fails the message.
  t.table.items.delete(`${sealed.pk}\n${sealed.sk}`);
  const { sealedSecret: _, ...without } = sealed;
  t.table.put(without);
  deepEqual(await run(...bodies), ['m1']);
  deepEqual(
    [t.deliveryOf(good).status, t.deliveryOf(sealed).status, t.requestsTo(sealed).length],
    ['delivered', 'attempting', 0],
  );
  ok(t.deliveryOf(sealed).nextAttemptAt);
});

test('deliver: a slow endpoint is sent to only from the slow queue, which is known by the event source ARN', async () => {
  const webhook = t.addWebhook();
  const [body = ''] = await messagesOf([webhook]);
  t.table.put({ ...webhookKey.health(t.tenant, webhook.id), isSlow: true, ttl: 9_999_999_999 });
  const by = (queue: string) =>
    handler({ Records: [{ messageId: 'm', body, eventSourceARN: `arn:aws:sqs:eu-central-1:1:${queue}` }] } as SQSEvent);
  t.sent.length = 0;
  deepEqual((await by('quick')).batchItemFailures, []);
  deepEqual([t.requestsTo(webhook).length, t.sent.map(({ queue }) => queue)], [0, ['slow']]);
  deepEqual((await by('slow')).batchItemFailures, []);
  deepEqual([t.requestsTo(webhook).length, t.sent.length, t.deliveryOf(webhook).status], [1, 1, 'delivered']);
});
