import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import { listDeliveries, readDelivery } from '../../../shared/delivery/index.ts';
import { epochSeconds, iso, newIdOf } from '../../../shared/platform/index.ts';
import { type WebhookDeliveryRecord, webhookKey } from '../../../shared/webhook/model/record.ts';
import type { Input } from '../../harness/aws/scripted-aws.ts';
import {
  createWebhookRecordsEnv,
  deliveryOf,
  eventAt,
  minutes,
  now,
  organization,
  tenant,
  webhookOf,
} from '../../harness/env/webhook-records.ts';

const { table, aws } = await createWebhookRecordsEnv();
afterAll(() => aws.stop());

const webhook = webhookOf();
const health = { ...webhookKey.health(tenant, webhook.id), failingSince: iso(now), ttl: epochSeconds(minutes(60)) };
beforeEach(() => {
  table.items.clear();
  for (const item of [organization, webhook, health]) table.put(item);
});

const put = (minute: number, more: Partial<WebhookDeliveryRecord> = {}): WebhookDeliveryRecord => {
  const delivery = deliveryOf(webhook, eventAt(minutes(minute)), more);
  table.put(delivery);
  return delivery;
};
const pages = async (status: WebhookDeliveryRecord['status'] | undefined, limit: number): Promise<readonly string[][]> => {
  const found: string[][] = [];
  let position: string | undefined;
  do {
    const { deliveries, next } = await listDeliveries(tenant, {
      endpointId: webhook.id,
      query: { status },
      page: { limit, after: position },
      now,
    });
    found.push(deliveries.map(({ id }) => id));
    position = next;
  } while (position !== undefined);
  return found;
};

test('list: deliveries are listed newest first, page by page, without the health record', async () => {
  const ids = [-5, -4, -3, -2, -1].map((minute) => put(minute).id).reverse();
  deepEqual(await pages(undefined, 2), [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  deepEqual(await pages(undefined, 5), [ids]);
});

test('list: filters by status', async () => {
  const failed = put(-3);
  const delivered = put(-2, { status: 'delivered' });
  put(-1, { status: 'attempting' });
  deepEqual(await pages('failed', 10), [[failed.id]]);
  deepEqual(await pages('delivered', 10), [[delivered.id]]);
});

test('list: one call reads at most three times and returns a cursor even if nothing matched', async () => {
  const failed = put(-20);
  for (let minute = -10; minute < 0; minute++) put(minute, { status: 'delivered' });
  const { Query: read } = table.script;
  let reads = 0;
  const readLittle = (input: Input) => {
    reads += 1;
    // 1 MB is two deliveries here.
    return read!({ ...input, Limit: 2 });
  };
  aws.play({ ...table.script, Query: readLittle });
  const first = await listDeliveries(tenant, {
    endpointId: webhook.id,
    query: { status: 'failed' },
    page: { limit: 10, after: undefined },
    now,
  });
  deepEqual([first.deliveries, reads], [[], 3]);
  ok(first.next);
  const second = await listDeliveries(tenant, {
    endpointId: webhook.id,
    query: { status: 'failed' },
    page: { limit: 10, after: first.next },
    now,
  });
  deepEqual([second.deliveries.map(({ id }) => id), reads], [[failed.id], 6]);
  aws.play(table.script);
});

test('list: a delivery past its TTL is not found, though it is still in the table', async () => {
  const old = put(-2, { ttl: epochSeconds(now) });
  const kept = put(-1);
  deepEqual(await pages(undefined, 10), [[kept.id]]);
  await rejects(readDelivery(tenant, { endpointId: webhook.id, id: old.id, now }), { code: 'DELIVERY_NOT_FOUND' });
  equal((await readDelivery(tenant, { endpointId: webhook.id, id: kept.id, now })).id, kept.id);
});

test('list: a delivery of another webhook, an unknown id and a malformed id get the same error', async () => {
  const { id } = put(-1);
  const pairs = [
    [newIdOf('webhook', now), id],
    [webhook.id, newIdOf('delivery', now)],
    [webhook.id, 'HEALTH'],
    [webhook.id, 'x'],
  ] as const;
  for (const [webhookId, deliveryId] of pairs)
    await rejects(readDelivery(tenant, { endpointId: webhookId, id: deliveryId, now }), {
      code: 'DELIVERY_NOT_FOUND',
      message: 'Delivery not found',
    });
});
