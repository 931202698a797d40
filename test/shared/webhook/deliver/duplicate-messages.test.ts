/** Queues deliver messages at least once and in any order. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import * as fc from 'fast-check';
import { beforeEach, test } from 'vitest';
import { handler as match } from '../../../../functions/webhook/match.ts';
import { webhookKey } from '../../../../shared/webhook/model/record.ts';
import { createWebhookEnv } from '../../../harness/env/webhook-env.ts';

const t = await createWebhookEnv();

beforeEach(t.resetEnv);

/** The message of an attempt as sent. */
const messageOf = (attempt: number): string => t.sent.find((one) => t.taskOf(one).attempt === attempt)!.body;

test('match: an event that is redelivered at any time adds no delivery and no attempt', async () => {
  const webhook = t.addWebhook();
  t.receiver.answer(t.pathOf(webhook), { status: 500 }, { status: 200 });
  const batch = t.written({ event: t.newEvent() });
  // Twice before the first attempt, twice while a retry is pending, twice after the delivery has ended.
  for (const seconds of [0, 30, 3_600]) {
    deepEqual(await match(batch), { batchItemFailures: [] });
    deepEqual(await match(batch), { batchItemFailures: [] });
    await t.run(seconds);
  }
  deepEqual(t.attemptsTo(webhook), [1, 2]);
  const { status, attempts } = t.deliveryOf(webhook);
  deepEqual([status, attempts], ['delivered', 2]);
});

test('deliver: concurrent duplicates of a message record one attempt under one id', async () => {
  const webhook = t.addFastWebhook();
  t.receiver.answer(t.pathOf(webhook), { status: 500, delayMs: 20 });
  await match(t.written({ event: t.newEvent() }));
  await Promise.all([t.give(messageOf(1)), t.give(messageOf(1)), t.give(messageOf(1))]);
  const { id, status, attempts } = t.deliveryOf(webhook);
  deepEqual([status, attempts], ['attempting', 1]);
  deepEqual([...new Set(t.requestsTo(webhook).map(({ headers }) => headers['webhook-id']))], [id]);
});

test('deliver: a duplicate of an attempt that was already recorded is dropped', async () => {
  const webhook = t.addFastWebhook();
  t.receiver.answer(t.pathOf(webhook), { status: 500 });
  await match(t.written({ event: t.newEvent() }));
  await t.run(100);
  deepEqual(t.attemptsTo(webhook), [1, 2]);
  const before = t.deliveryOf(webhook);
  const sentBefore = t.sent.length;
  await t.give(messageOf(1));
  await t.give(messageOf(2));
  deepEqual(t.attemptsTo(webhook), [1, 2]);
  deepEqual(t.deliveryOf(webhook), before);
  equal(t.sent.length, sentBefore);
});

test('deliver: if one of two concurrent attempts succeeds, the delivery is delivered and the retry of the other is not sent', async () => {
  const webhook = t.addFastWebhook();
  t.receiver.answer(t.pathOf(webhook), { status: 500, delayMs: 60 }, { status: 200 });
  await match(t.written({ event: t.newEvent() }));
  await Promise.all([t.give(messageOf(1)), t.give(messageOf(1))]);
  await t.run();
  equal(t.requestsTo(webhook).length, 2);
  const { status, attempts } = t.deliveryOf(webhook);
  deepEqual([status, attempts], ['delivered', 1]);
});

test('deliver: a message for a delivery that does not exist is dropped', async () => {
  const webhook = t.addWebhook();
  await match(t.written({ event: t.newEvent() }));
  const other = t.sent[0]!.body.replace(t.deliveryOf(webhook).id, 'dlv_01JWNVAV000000000000000000');
  await t.give(other);
  deepEqual(t.requestsTo(webhook), []);
  equal(t.deliveriesOf(webhook).length, 1);
});

test('deliver property: with messages in any order and number each attempt is sent once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 8 }), async (order) => {
      t.resetEnv();
      const webhook = t.addWebhook();
      t.receiver.answer(t.pathOf(webhook), { status: 500 }, { status: 500 }, { status: 200 });
      await match(t.written({ event: t.newEvent() }));
      const first = messageOf(1);
      for (const attempt of order) await t.give(first.replace('"attempt":1', `"attempt":${attempt}`));
      await t.run();
      // In order, without gaps, and none after the successful one.
      deepEqual(t.attemptsTo(webhook), [1, 2, 3]);
      const { status, attempts } = t.deliveryOf(webhook);
      deepEqual([status, attempts, t.deliveriesOf(webhook, t.tenant).length], ['delivered', 3, 1]);
    }),
    { numRuns: 25 },
  );
});

/** Delivers a message twice concurrently; returns the delays of those that were requeued. */
const giveTwice = async (body: string): Promise<readonly number[]> => {
  const before = t.sent.length;
  await Promise.all([t.give(body), t.give(body)]);
  const same = ({ attempt, deliveryId }: ReturnType<typeof t.taskOf>): string => `${deliveryId} ${attempt}`;
  return t.sent.slice(before).flatMap((one) => (same(t.taskOf(one)) === same(t.taskOf({ body })) ? [one.delaySeconds] : []));
};

test('deliver: a first attempt that is sent twice concurrently duplicates no later attempt', async () => {
  const webhook = t.addFastWebhook();
  t.receiver.answer(t.pathOf(webhook), { status: 500, delayMs: 50 });
  await t.matchEvent();
  deepEqual(await giveTwice(messageOf(1)), []);
  // Both have enqueued the second attempt.
  equal(t.sent.filter((one) => t.taskOf(one).attempt === 2).length, 2);
  await t.run();
  deepEqual(t.attemptsTo(webhook), [1, 1, 2, 3, 4, 5]);
});

test('deliver: of two concurrent duplicates of a retry one is sent; the other is requeued until the lease ends, then dropped', async () => {
  const webhook = t.addWebhook({ timeoutMs: 60_000 });
  t.receiver.answer(t.pathOf(webhook), { status: 500, delayMs: 50 });
  await t.matchEvent();
  await t.run(0);
  t.pass(60);
  const second = messageOf(2);
  deepEqual(await giveTwice(second), [75]);
  deepEqual(t.attemptsTo(webhook), [1, 2]);
  const { attempts, claimedUntil } = t.deliveryOf(webhook);
  deepEqual([attempts, claimedUntil], [2, undefined]);
  await t.run();
  deepEqual(t.attemptsTo(webhook), [1, 2, 3, 4, 5]);
});

test('deliver: on the slow queue, which manual retries use, the first attempt is leased, too', async () => {
  const webhook = t.addWebhook();
  t.receiver.answer(t.pathOf(webhook), { status: 200, delayMs: 50 });
  t.table.put({ ...webhookKey.health(t.tenant, webhook.id), isSlow: true, ttl: 1 });
  await t.matchEvent();
  equal(t.sent[0]?.queue, 'slow');
  deepEqual(await giveTwice(messageOf(1)), [20]);
  deepEqual(t.attemptsTo(webhook), [1]);
});

test('deliver: a lease lasts for the request timeout plus 15 s, so a crashed worker blocks its attempt no longer', async () => {
  const webhook = t.addWebhook({ timeoutMs: 60_000 });
  t.receiver.answer(t.pathOf(webhook), { status: 500 }, { status: 200 });
  await t.matchEvent();
  await t.run(0);
  t.pass(60);
  const dies = { post: () => Promise.reject(new Error('it died')) };
  await rejects(t.give(messageOf(2), dies), { message: 'it died' });
  t.pass(70);
  await t.give(messageOf(2));
  deepEqual([t.attemptsTo(webhook), t.sent.at(-1)?.delaySeconds], [[1], 5]);
  await t.run();
  deepEqual(t.attemptsTo(webhook), [1, 2]);
  equal(t.deliveryOf(webhook).status, 'delivered');
});

test('deliver: a duplicate does not end an attempt in progress, even if the webhook was disabled meanwhile', async () => {
  const webhook = t.addWebhook();
  t.receiver.answer(t.pathOf(webhook), async () => {
    t.addWebhook({ ...webhook, enabled: false });
    await t.give(messageOf(1));
    return { status: 200 };
  });
  await t.matchEvent();
  await t.give(messageOf(1));
  const { status, attempts } = t.deliveryOf(webhook);
  deepEqual([t.attemptsTo(webhook), status, attempts], [[1], 'delivered', 1]);
});
