/** Queues give everything at least once, and in any order. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import * as fc from 'fast-check';
import { beforeEach, test } from 'vitest';
import { handler as match } from '../../../../functions/webhook/match.ts';
import { webhookKey } from '../../../../shared/webhook/model/record.ts';
import {
  addFastWebhook,
  addWebhook,
  attemptsTo,
  deliveriesOf,
  deliveryOf,
  give,
  matchEvent,
  newEvent,
  pass,
  pathOf,
  receiver,
  requestsTo,
  resetEnv,
  run,
  sent,
  table,
  taskOf,
  tenant,
  written,
} from '../../../harness/env/webhook-env.ts';

beforeEach(resetEnv);

/** The message of that attempt, as it was sent. */
const messageOf = (attempt: number): string => sent.find((one) => taskOf(one).attempt === attempt)!.body;

test('an event that is given again, at any time, adds no delivery and no attempt', async () => {
  const webhook = addWebhook();
  receiver.answer(pathOf(webhook), { status: 500 }, { status: 200 });
  const batch = written({ event: newEvent() });
  // Twice before anything was sent, then while a retry waits, then when all is over.
  for (const seconds of [0, 30, 3_600]) {
    deepEqual(await match(batch), { batchItemFailures: [] });
    deepEqual(await match(batch), { batchItemFailures: [] });
    await run(seconds);
  }
  deepEqual(attemptsTo(webhook), [1, 2]);
  const { status, attempts } = deliveryOf(webhook);
  deepEqual([status, attempts], ['delivered', 2]);
});

test('a message that comes twice at once leaves one record of one attempt, under one id', async () => {
  const webhook = addFastWebhook();
  receiver.answer(pathOf(webhook), { status: 500, delayMs: 20 });
  await match(written({ event: newEvent() }));
  await Promise.all([give(messageOf(1)), give(messageOf(1)), give(messageOf(1))]);
  const { id, status, attempts } = deliveryOf(webhook);
  deepEqual([status, attempts], ['attempting', 1]);
  deepEqual([...new Set(requestsTo(webhook).map(({ headers }) => headers['webhook-id']))], [id]);
});

test('a late duplicate of the first attempt, after the second, is dropped', async () => {
  const webhook = addFastWebhook();
  receiver.answer(pathOf(webhook), { status: 500 });
  await match(written({ event: newEvent() }));
  await run(100);
  deepEqual(attemptsTo(webhook), [1, 2]);
  const before = deliveryOf(webhook);
  const sentBefore = sent.length;
  await give(messageOf(1));
  await give(messageOf(2));
  deepEqual(attemptsTo(webhook), [1, 2]);
  deepEqual(deliveryOf(webhook), before);
  equal(sent.length, sentBefore);
});

test('one of two attempts at once that succeeds stands, and the retry that the other asked for is not made', async () => {
  const webhook = addFastWebhook();
  receiver.answer(pathOf(webhook), { status: 500, delayMs: 60 }, { status: 200 });
  await match(written({ event: newEvent() }));
  await Promise.all([give(messageOf(1)), give(messageOf(1))]);
  await run();
  equal(requestsTo(webhook).length, 2);
  const { status, attempts } = deliveryOf(webhook);
  deepEqual([status, attempts], ['delivered', 1]);
});

test('a message that waited for a delivery which is no more is dropped', async () => {
  const webhook = addWebhook();
  await match(written({ event: newEvent() }));
  const other = sent[0]!.body.replace(deliveryOf(webhook).id, 'dlv_01JWNVAV000000000000000000');
  await give(other);
  deepEqual(requestsTo(webhook), []);
  equal(deliveriesOf(webhook).length, 1);
});

test('whatever order and however often the messages of a delivery come, each attempt counts once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 8 }), async (order) => {
      resetEnv();
      const webhook = addWebhook();
      receiver.answer(pathOf(webhook), { status: 500 }, { status: 500 }, { status: 200 });
      await match(written({ event: newEvent() }));
      const first = messageOf(1);
      for (const attempt of order) await give(first.replace('"attempt":1', `"attempt":${attempt}`));
      await run();
      // Made one after the other, in order, none left out; after the one that succeeded none follows.
      deepEqual(attemptsTo(webhook), [1, 2, 3]);
      const { status, attempts } = deliveryOf(webhook);
      deepEqual([status, attempts, deliveriesOf(webhook, tenant).length], ['delivered', 3, 1]);
    }),
    { numRuns: 25 },
  );
});

/** The same message, twice at once; how long those of the two that were put off have to wait. */
const giveTwice = async (body: string): Promise<readonly number[]> => {
  const before = sent.length;
  await Promise.all([give(body), give(body)]);
  const same = ({ attempt, deliveryId }: ReturnType<typeof taskOf>): string => `${deliveryId} ${attempt}`;
  return sent.slice(before).flatMap((one) => (same(taskOf(one)) === same(taskOf({ body })) ? [one.delaySeconds] : []));
};

test('a first attempt that is made twice at once doubles none of those that follow', async () => {
  const webhook = addFastWebhook();
  receiver.answer(pathOf(webhook), { status: 500, delayMs: 50 });
  await matchEvent();
  deepEqual(await giveTwice(messageOf(1)), []);
  // Both have asked for the second.
  equal(sent.filter((one) => taskOf(one).attempt === 2).length, 2);
  await run();
  deepEqual(attemptsTo(webhook), [1, 1, 2, 3, 4, 5]);
});

test('of two who have the message of a retry one makes it; the other waits until it must be over, and finds it made', async () => {
  const webhook = addWebhook({ timeoutMs: 60_000 });
  receiver.answer(pathOf(webhook), { status: 500, delayMs: 50 });
  await matchEvent();
  await run(0);
  pass(60);
  const second = messageOf(2);
  deepEqual(await giveTwice(second), [75]);
  deepEqual(attemptsTo(webhook), [1, 2]);
  const { attempts, claimedUntil } = deliveryOf(webhook);
  deepEqual([attempts, claimedUntil], [2, undefined]);
  await run();
  deepEqual(attemptsTo(webhook), [1, 2, 3, 4, 5]);
});

test('what is asked for by hand or moved to the slow lane is claimed from its first attempt on', async () => {
  const webhook = addWebhook();
  receiver.answer(pathOf(webhook), { status: 200, delayMs: 50 });
  table.put({ ...webhookKey.health(tenant, webhook.id), isSlow: true, ttl: 1 });
  await matchEvent();
  equal(sent[0]?.queue, 'slow');
  deepEqual(await giveTwice(messageOf(1)), [20]);
  deepEqual(attemptsTo(webhook), [1]);
});

test('a claim lasts for the time of the request and 15 s, and not longer: whoever died with it keeps nobody from the attempt', async () => {
  const webhook = addWebhook({ timeoutMs: 60_000 });
  receiver.answer(pathOf(webhook), { status: 500 }, { status: 200 });
  await matchEvent();
  await run(0);
  pass(60);
  const dies = { post: () => Promise.reject(new Error('it died')) };
  await rejects(give(messageOf(2), dies), { message: 'it died' });
  pass(70);
  await give(messageOf(2));
  deepEqual([attemptsTo(webhook), sent.at(-1)?.delaySeconds], [[1], 5]);
  await run();
  deepEqual(attemptsTo(webhook), [1, 2]);
  equal(deliveryOf(webhook).status, 'delivered');
});

test('a duplicate does not end an attempt that another makes, whatever became of the webhook meanwhile', async () => {
  const webhook = addWebhook();
  receiver.answer(pathOf(webhook), async () => {
    addWebhook({ ...webhook, enabled: false });
    await give(messageOf(1));
    return { status: 200 };
  });
  await matchEvent();
  await give(messageOf(1));
  const { status, attempts } = deliveryOf(webhook);
  deepEqual([attemptsTo(webhook), status, attempts], [[1], 'delivered', 1]);
});
