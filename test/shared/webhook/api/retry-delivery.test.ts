/** Only an ended or overdue delivery can be retried, and concurrent requests retry it once. */
import { deepEqual, equal, throws } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { commit, iso } from '../../../../shared/platform/index.ts';
import { decideDelivery } from '../../../../shared/webhook/deliver/prepare-attempt.ts';
import { retryDelivery } from '../../../../shared/webhook/index.ts';
import type { WebhookDeliveryRecord } from '../../../../shared/webhook/model/record.ts';
import {
  createWebhookRecordsEnv,
  deliveryOf,
  eventAt,
  minutes,
  now,
  organization,
  tenant,
  webhookOf,
} from '../../../harness/env/webhook-records.ts';

const { table, aws, tasks } = await createWebhookRecordsEnv();
afterAll(() => aws.stop());

const webhook = webhookOf();
const event = eventAt(minutes(-60));
beforeEach(() => {
  table.items.clear();
  table.put(organization);
  table.put(webhook);
});

const put = (more: Partial<WebhookDeliveryRecord> = {}): WebhookDeliveryRecord => {
  const delivery = deliveryOf(webhook, event, more);
  table.put(delivery);
  return delivery;
};
const retry = (delivery: WebhookDeliveryRecord) => commit(retryDelivery(tenant, { webhook, delivery, now }).writes);
const overdue = { status: 'attempting', attempts: 2, nextAttemptAt: iso(minutes(-16)) } as const;

test('retry: a failed delivery gets one more attempt, whose message is part of the transaction', async () => {
  const delivery = put();
  await retry(delivery);
  const { status, roundStart, attemptsMax, nextAttemptAt, attempts } = table.get<WebhookDeliveryRecord>(delivery)!;
  deepEqual([status, roundStart, attemptsMax, nextAttemptAt, attempts], ['attempting', 5, 6, iso(now), 5]);
  deepEqual(tasks(), [{ kind: 'deliver', webhookId: webhook.id, deliveryId: delivery.id, attempt: 6 }]);
});

test('retry: a delivered delivery is sent once more under its own id', async () => {
  const delivery = put({ status: 'delivered', attempts: 2, statusCode: 200, lastError: null });
  await retry(delivery);
  const { status, roundStart, attemptsMax } = table.get<WebhookDeliveryRecord>(delivery)!;
  deepEqual({ status, roundStart, attemptsMax }, { status: 'attempting', roundStart: 2, attemptsMax: 3 });
  deepEqual(tasks(), [{ kind: 'deliver', webhookId: webhook.id, deliveryId: delivery.id, attempt: 3 }]);
});

test('retry: a delivery overdue by more than 15 minutes has lost its message and is resumed', async () => {
  const delivery = put(overdue);
  await retry(delivery);
  deepEqual(
    tasks().map(({ attempt }) => attempt),
    [3],
  );
  const { roundStart, attemptsMax, nextAttemptAt, attempts } = table.get<WebhookDeliveryRecord>(delivery)!;
  deepEqual([roundStart, attemptsMax, nextAttemptAt, attempts], [0, 5, iso(now), 2], 'the attempts it has left');
});

test('retry: an overdue delivery gets one attempt even if retries were disabled since', async () => {
  const quiet = { ...webhook, retryEnabled: false };
  const delivery = put(overdue);
  await commit(retryDelivery(tenant, { webhook: quiet, delivery, now }).writes);
  const found = { endpoint: quiet, delivery: table.get<WebhookDeliveryRecord>(delivery), health: undefined };
  equal(
    decideDelivery(found, { webhookId: webhook.id, deliveryId: delivery.id, attempt: 3 }, { now, queue: 'deliveryRetry' }).kind,
    'send',
  );
});

test('retry: an overdue delivery without remaining attempts gets one', async () => {
  const delivery = put({ ...overdue, attempts: 5 });
  await retry(delivery);
  equal(table.get<WebhookDeliveryRecord>(delivery)?.attemptsMax, 6);
});

for (const [name, more] of [
  ['waiting for its next attempt', { status: 'attempting', nextAttemptAt: iso(minutes(30)) }],
  ['being attempted', { status: 'attempting', nextAttemptAt: iso(minutes(-14)) }],
] as const)
  test(`retry: a delivery that is ${name} is refused`, () => {
    throws(() => retryDelivery(tenant, { webhook, delivery: put(more), now }), { code: 'CONFLICT' });
  });

test('retry: a disabled webhook is refused', () => {
  throws(() => retryDelivery(tenant, { webhook: webhookOf({ enabled: false }), delivery: put(), now }), { code: 'CONFLICT' });
});

test('retry: an event that the current format lacks is refused, and its pending attempts are abandoned', () => {
  const simple = webhookOf({ format: 'simple' });
  const delivery = deliveryOf(simple, eventAt(now, 'storage.error'));
  throws(() => retryDelivery(tenant, { webhook: simple, delivery, now }), { code: 'CONFLICT' });
  const waiting: WebhookDeliveryRecord = { ...delivery, status: 'attempting', attempts: 1 };
  const name = { webhookId: simple.id, deliveryId: waiting.id, attempt: 2 };
  equal(
    decideDelivery({ endpoint: simple, delivery: waiting, health: undefined }, name, { now, queue: 'deliveryRetry' }).kind,
    'abandon',
  );
});

for (const [name, more] of [
  ['failed', {}],
  ['overdue', overdue],
] as const)
  test(`retry: of two concurrent retries of a ${name} delivery one succeeds and one gets a conflict`, async () => {
    const delivery = put(more);
    const ends = await Promise.allSettled([retry(delivery), retry(delivery)]);
    deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    equal(tasks().length, 1);
    // Decided again after the optimistic-lock conflict, as the pipeline does, it is refused.
    throws(() => retryDelivery(tenant, { webhook, delivery: table.get<WebhookDeliveryRecord>(delivery)!, now }), {
      code: 'CONFLICT',
    });
  });

for (const [name, item] of [
  ['webhook is disabled', { ...webhook, enabled: false }],
  ['organization is deleted', { ...organization, deletedAt: iso(now) }],
] as const)
  test(`retry: nothing changes if the ${name} concurrently`, async () => {
    const delivery = put();
    table.put(item);
    const [end] = await Promise.allSettled([retry(delivery)]);
    equal(end.status, 'rejected');
    deepEqual([table.get<WebhookDeliveryRecord>(delivery)!.status, tasks()], ['failed', []]);
  });
