/** Purging an organization deletes its webhooks and deliveries, after its deletion event was attempted. */
import { deepEqual, equal } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { commit, epochSeconds, iso, newIdOf } from '../../../../shared/platform/index.ts';
import { deleteWebhook, purgeDeliveries, waitForFinalDelivery } from '../../../../shared/webhook/index.ts';
import { type WebhookDeliveryRecord, webhookKey } from '../../../../shared/webhook/model/record.ts';
import {
  createWebhookRecordsEnv,
  deliveryOf,
  eventAt,
  eventItem,
  minutes,
  now,
  organization,
  tenant,
  webhookOf,
} from '../../../harness/env/webhook-records.ts';

const { table, aws } = await createWebhookRecordsEnv();
afterAll(() => aws.stop());

const webhook = webhookOf();
const health = { ...webhookKey.health(tenant, webhook.id), failingSince: iso(now), ttl: epochSeconds(minutes(60)) };
beforeEach(() => {
  table.items.clear();
  table.onRead = () => undefined;
  for (const item of [organization, webhook, health]) table.put(item);
});

const put = (minute: number, more: Partial<WebhookDeliveryRecord> = {}): WebhookDeliveryRecord => {
  const delivery = deliveryOf(webhook, eventAt(minutes(minute)), more);
  table.put(delivery);
  return delivery;
};

const clock = { now: () => now };

test('purge: deletes the webhooks of the organization with all their deliveries, and no others', async () => {
  const neighbour = { pk: `DELIVERY#${newIdOf('organization', now)}#${webhook.id}`, sk: newIdOf('delivery', now) };
  table.put(neighbour);
  table.put(webhookOf());
  for (let n = 0; n < 450; n++) put(-n);
  equal(await purgeDeliveries(tenant, minutes(1), clock), true);
  deepEqual(
    [...table.items.keys()],
    [organization, neighbour].map(({ pk, sk }) => `${pk}\n${sk}`),
  );
});

test('purge: deletes the deliveries of a webhook that was deleted before', async () => {
  put(-1);
  await commit(deleteWebhook(tenant, webhook, now).writes);
  equal(table.find('DELIVERY#').length, 1);
  equal(await purgeDeliveries(tenant, minutes(1), clock), true);
  deepEqual(
    // The task that ends the incidents of the webhook is in the partition of the organization, which is purged last.
    [...table.items.keys()].filter((key) => !key.includes('\nTASK#')),
    [organization].map(({ pk, sk }) => `${pk}\n${sk}`),
  );
});

test('purge: returns false at the deadline, keeps the webhook item, and continues the next time', async () => {
  for (let n = 0; n < 450; n++) put(-n);
  let looks = 0;
  const short = { now: () => (looks++ < 1 ? now : minutes(2)) };
  equal(await purgeDeliveries(tenant, minutes(1), short), false);
  deepEqual([table.find('DELIVERY#').length, table.find(webhook.pk, 'WEBHOOK#').length], [351, 1]);
  equal(await purgeDeliveries(tenant, minutes(1), clock), true);
  deepEqual([table.find('DELIVERY#').length, table.find(webhook.pk, 'WEBHOOK#').length], [0, 0]);
});

test('purge: deletes deliveries created while their webhook was being deleted', async () => {
  let isLate = true;
  table.onWrite = (when) => {
    if (when === 'before' && isLate && table.find('DELIVERY#').length === 0) {
      isLate = false;
      put(-1);
    }
    return undefined;
  };
  equal(await purgeDeliveries(tenant, minutes(1), clock), true);
  table.onWrite = () => undefined;
  deepEqual([isLate, table.find('DELIVERY#')], [false, []]);
});

const deletion = eventAt(now, 'organization.deleted');
const told = (more: Partial<WebhookDeliveryRecord> = {}) => table.put(deliveryOf(webhook, deletion, more));
const wait = (time = clock) => waitForFinalDelivery(tenant, { deletedAt: now, until: minutes(1), time });

test('purge: waits until the deletion event was matched and attempted once, successfully or not', async () => {
  table.put(eventItem(deletion));
  let looks = 0;
  table.onRead = () => {
    // The first read is of the event, the second of the webhooks.
    looks += 1;
    if (looks === 4) told({ status: 'attempting', attempts: 0 });
    if (looks === 5) told({ status: 'attempting', attempts: 1 });
    return undefined;
  };
  equal(await wait(), true);
  equal(looks, 5);
});

test('purge: the wait is limited, and one step waits no longer than its deadline', async () => {
  table.put(eventItem(deletion));
  equal(await wait({ now: () => minutes(2) }), true);
  equal(await waitForFinalDelivery(tenant, { deletedAt: now, until: now, time: clock }), false);
});

for (const [name, change] of [
  ['is disabled', () => table.put({ ...webhook, enabled: false })],
  ['is not subscribed to the event', () => table.put({ ...webhook, events: ['backup.*'] })],
  ['was already sent the event', () => told()],
] as const)
  test(`purge: does not wait for a webhook that ${name}`, async () => {
    table.put(eventItem(deletion));
    change();
    equal(await wait(), true);
  });
