/**
 * The worker crashes before or after each visible effect, and its message is delivered again. At every such moment:
 * nothing is lost, nothing is counted twice, and every delivery keeps its one record and id.
 */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { handler as match } from '../../../../functions/webhook/match.ts';
import { type StoredEvent, type WebhookRecord, webhookKey } from '../../../../shared/webhook/model/record.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import { createWebhookEnv } from '../../../harness/env/webhook-env.ts';
import { CrashInjector, type CrashPoint, crashPoints } from '../../../harness/faults/crash-injector.ts';
import type { Answer } from '../../../harness/stage/receiver.ts';

const t = await createWebhookEnv();

/** The events of a batch are matched concurrently, so a crash before an effect differs from one after the previous effect. */
const momentsOfBatch = (effects: number): readonly CrashPoint[] =>
  Array.from({ length: effects }, (_, n) => n + 1).flatMap((at) => [
    { at, when: 'before' as const },
    { at, when: 'after' as const },
  ]);

const eventsOfBatch = 3;

const matchOnce = async (crash: CrashInjector) => {
  t.resetEnv();
  const webhooks = [
    t.addWebhook(),
    t.addWebhook({ events: ['organization.*'] }),
    t.addWebhook({ events: ['backup.*'] }),
  ] as const;
  const events = Array.from({ length: eventsOfBatch }, () => t.newEvent());
  const batch = t.written(...events.map((event) => ({ event })));
  t.setCrashInjector(crash);
  const answer = await match(batch);
  return { webhooks, events, batch, answer };
};

test('match crash: after a crash at any effect and a redelivery every event has one delivery per webhook, sent once', async () => {
  const whole = new CrashInjector();
  deepEqual((await matchOnce(whole)).answer, { batchItemFailures: [] });
  ok(whole.effects > 2 * eventsOfBatch, 'a put for every pair, and messages');
  for (const { at, when } of momentsOfBatch(whole.effects)) {
    const crash = new CrashInjector(at, when);
    const { webhooks, batch, answer } = await matchOnce(crash);
    ok(crash.isDead);
    // The response that a function without a crash would give: at least one message is reported as failed.
    ok(answer.batchItemFailures.length > 0, `${when} ${at}`);
    t.setCrashInjector(new CrashInjector());
    await t.run(0);
    deepEqual(await match(batch), { batchItemFailures: [] });
    await t.run();
    for (const webhook of webhooks.slice(0, 2)) {
      const deliveries = t.deliveriesOf(webhook);
      equal(deliveries.length, eventsOfBatch, `${when} ${at}`);
      for (const { id, status, attempts } of deliveries) {
        deepEqual([status, attempts], ['delivered', 1], `${when} ${at}`);
        equal(
          t.requestsTo(webhook).filter(({ headers }) => headers['webhook-id'] === id).length,
          1,
          'what was sent is not sent again',
        );
      }
    }
    equal(t.deliveriesOf(webhooks[2]).length, 0);
  }
});

const deliverAll = (crash: CrashInjector, ...answers: readonly Answer[]) => deliverTo({}, () => {}, crash, ...answers);

const deliverTo = async (
  more: Partial<WebhookRecord>,
  setUp: () => void,
  crash: CrashInjector,
  ...answers: readonly Answer[]
) => {
  t.resetEnv();
  setUp();
  const webhook: WebhookRecord = t.addWebhook(more);
  const event: StoredEvent = t.newEvent();
  t.receiver.answer(t.pathOf(webhook), ...answers);
  await t.matchEvent(event);
  t.setCrashInjector(crash);
  await t.run();
  return webhook;
};

for (const [what, answers, status, attempts] of [
  ['an endpoint that fails everything', [{ status: 500 }], 'failed', 5],
  ['an endpoint that works', [{ status: 200 }], 'delivered', 1],
  ['an endpoint that answers 410', [{ status: 410 }], 'failed', 1],
] as const)
  test(`deliver crash: ${what}, a crash at any effect: every attempt is sent, and counted once, and the delivery ends`, async () => {
    const whole = new CrashInjector();
    await deliverAll(whole, ...answers);
    for (const { at, when } of crashPoints(whole.effects)) {
      const crash = new CrashInjector(at, when);
      const webhook = await deliverAll(crash, ...answers);
      ok(crash.isDead);
      const name = `${when} ${at}`;
      const delivery = t.deliveryOf(webhook);
      deepEqual([delivery.status, delivery.attempts, delivery.nextAttemptAt], [status, attempts, null], name);
      // At least once, under its own number; the attempt of the crashed worker may be repeated.
      const heard = t.attemptsTo(webhook);
      deepEqual(
        [...new Set(heard)],
        Array.from({ length: attempts }, (_, n) => n + 1),
        name,
      );
      ok(heard.length <= attempts + 1, `${name}: ${heard}`);
      deepEqual([...new Set(t.requestsTo(webhook).map((one) => t.metadataOf(one).deliveryId))], [delivery.id]);
      equal(t.entries.size, 0, 'nothing waits any more');
      if (status === 'failed') ok(t.healthOf(webhook)?.failingSince);
      const asked = t.tasksSent().filter(({ webhookId }) => webhookId === webhook.id).length;
      if (answers[0].status === 410) ok(asked === 1 || asked === 2, name);
      else equal(asked, 0);
    }
  });

test('deliver crash: a retry that arrives before the previous attempt was recorded repeats that attempt, and retries continue', async () => {
  const begin = async (crash: CrashInjector): Promise<WebhookRecord> => {
    t.resetEnv();
    const webhook = t.addWebhook();
    t.receiver.answer(t.pathOf(webhook), { status: 500 }, { status: 500 }, { status: 200 });
    await t.matchEvent();
    t.setCrashInjector(crash);
    await t.run(0);
    return webhook;
  };
  const whole = new CrashInjector();
  await begin(whole);
  // Recording is the last effect of an attempt; the message of the crashed worker is redelivered after that of the retry.
  const webhook = await begin(new CrashInjector(whole.effects, 'before'));
  equal(t.deliveryOf(webhook).attempts, 0);
  await t.run(200);
  deepEqual(t.attemptsTo(webhook), [1, 1, 2]);
  const { status, attempts } = t.deliveryOf(webhook);
  deepEqual([status, attempts], ['delivered', 2]);
});

test('deliver crash: a message that moves to the slow queue is delivered and counted once despite a crash at any effect', async () => {
  const begin = async (crash: CrashInjector): Promise<WebhookRecord> => {
    t.resetEnv();
    const webhook = t.addWebhook();
    await t.matchEvent();
    t.table.put({ ...webhookKey.health(t.tenant, webhook.id), isSlow: true, ttl: 1 });
    t.setCrashInjector(crash);
    await t.run();
    return webhook;
  };
  const whole = new CrashInjector();
  await begin(whole);
  for (const { at, when } of crashPoints(whole.effects)) {
    const webhook = await begin(new CrashInjector(at, when));
    const { status, attempts } = t.deliveryOf(webhook);
    deepEqual([status, attempts], ['delivered', 1], `${when} ${at}`);
    ok(t.requestsTo(webhook).length <= 2);
  }
});

test('deliver crash: longest timeout, no Scheduler, a crash at any effect: every attempt is sent on time, and counted once', async () => {
  const refuse = () => {
    t.faults.ofScheduler = () => new Fault('AccessDeniedException', 403);
  };
  // The lease then outlasts the delay before the second attempt.
  const begin = (crash: CrashInjector) => deliverTo({ timeoutMs: 60_000 }, refuse, crash, { status: 500 });
  const whole = new CrashInjector();
  await begin(whole);
  for (const { at, when } of crashPoints(whole.effects)) {
    const webhook = await begin(new CrashInjector(at, when));
    const { status, attempts, claimedUntil } = t.deliveryOf(webhook);
    const name = `${when} ${at}`;
    deepEqual([status, attempts, claimedUntil], ['failed', 5, undefined], name);
    deepEqual([...new Set(t.attemptsTo(webhook))], [1, 2, 3, 4, 5], name);
    ok(t.requestsTo(webhook).length <= 6, name);
    const times = t.requestsTo(webhook).map(({ headers }) => Number(headers['x-service-timestamp']));
    ok(times.at(-1)! - times[0]! >= 9_360, name);
  }
});
