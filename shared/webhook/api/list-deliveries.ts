/** What was sent to a webhook. A delivery past its time is gone, whether or not the table has cleaned it up yet. */
import type * as z from 'zod';
import { ApiError } from '../../contract/errors.ts';
import { idPrefixes, isId } from '../../contract/ids.ts';
import type { Delivery, DeliveryRequest } from '../../contract/models/webhook.ts';
import { epochSeconds, get, query, type Range, type Tenant } from '../../platform/index.ts';
import { type DeliveryRecord, webhookKey } from '../model/record.ts';

export const noSuchDelivery = (): ApiError => new ApiError('DELIVERY_NOT_FOUND', 'There is no such delivery');

/** Throws DELIVERY_NOT_FOUND, also for what could not be an id: one of another webhook lies in that one's partition. */
export const readDelivery = async (tenant: Tenant, webhookId: string, id: string, now: Date): Promise<DeliveryRecord> => {
  const found = isId('delivery', id) ? await get(webhookKey.delivery(tenant, webhookId, id)) : undefined;
  const record = found as DeliveryRecord | undefined;
  if (!record || !isKept(record, now)) throw noSuchDelivery();
  return record;
};

export interface DeliveryFilter {
  readonly status?: DeliveryRecord['status'] | undefined;
}

/** One call reads the table at most this often, each time up to 1 MB, which is some hundred deliveries: senders need the partition, too. */
const readsMax = 3;
const lookedAtMax = 1_000;

/**
 * One page, newest first: ids sort by the time of their event. `next` is undefined only when nothing more is there; a page
 * may be short, even empty, and still have a `next`, where a filter matched little in what one call may read.
 */
export const listDeliveries = async (
  tenant: Tenant,
  webhookId: string,
  { status }: DeliveryFilter,
  page: { readonly limit: number; readonly after: string | undefined },
  now: Date,
): Promise<{ deliveries: readonly DeliveryRecord[]; next: string | undefined }> => {
  const range: Range = {
    pk: webhookKey.delivery(tenant, webhookId, '').pk,
    // What is known of the endpoint lies beside them, under another name.
    prefix: `${idPrefixes.delivery}_`,
    newestFirst: true,
    ...(status !== undefined && { where: { status } }),
  };
  const found: DeliveryRecord[] = [];
  // One more than asked for tells whether there is more.
  const limit = status === undefined ? page.limit + 1 : lookedAtMax;
  let after = page.after;
  for (let reads = 0; reads < readsMax; reads++) {
    const read = await query({ ...range, after, limit });
    found.push(...(read.items as readonly DeliveryRecord[]).filter((record) => isKept(record, now)));
    if (found.length > page.limit) return { deliveries: found.slice(0, page.limit), next: found[page.limit - 1]?.sk };
    if (read.next === undefined) return { deliveries: found, next: undefined };
    after = read.next;
  }
  return { deliveries: found, next: after };
};

const isKept = ({ ttl }: DeliveryRecord, now: Date): boolean => ttl > epochSeconds(now);

/** Of the last attempt, whatever becomes of the delivery: what went wrong is told until an attempt goes well. */
export const deliveryData = (record: DeliveryRecord): z.input<typeof Delivery> => ({
  id: record.id,
  eventId: record.event.id,
  eventType: record.event.type,
  status: record.status,
  statusCode: record.statusCode,
  timestamp: record.event.timestamp,
  duration: record.durationMs,
  attempts: record.attempts,
  ...(record.status !== 'delivered' && record.lastError !== null && { lastError: record.lastError }),
  lastAttemptAt: record.lastAttemptAt,
  nextAttemptAt: record.nextAttemptAt,
  ...(record.isTest && { test: true as const }),
});

/** The request of the last attempt. Secrets were masked before it was kept. */
export const requestData = ({ request }: DeliveryRecord): z.input<typeof DeliveryRequest> => {
  if (!request) throw new ApiError('CONFLICT', 'Nothing was sent for this delivery yet');
  return { method: 'POST', ...request };
};
