/** Reads deliveries. A delivery past its TTL is treated as deleted, whether or not the table has removed it yet. */
import type * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import { idPrefixes, isId } from '../../contract/ids.ts';
import type { Delivery, DeliveryRequest } from '../../contract/models/webhook.ts';
import { epochSeconds, get, query, type Range, type Tenant } from '../../platform/index.ts';
import { type DeliveryRecord, webhookKey } from '../model/record.ts';
import { maskUrl } from '../request/mask-url.ts';

/** Throws DELIVERY_NOT_FOUND, also for a malformed id and for a delivery of another webhook or alert. */
export const readDelivery = async <D extends Kept = DeliveryRecord>(
  tenant: Tenant,
  ownerId: string,
  id: string,
  now: Date,
): Promise<D> => {
  const record = isId('delivery', id) ? await get(webhookKey.delivery(tenant, ownerId, id)) : undefined;
  if (!record || !isKept(record, now)) throw new ApiError('DELIVERY_NOT_FOUND', 'Delivery not found');
  return record as Kept as D;
};

/** A delivery of a webhook or an alert: both are kept in the same way. */
type Kept = Pick<DeliveryRecord, 'sk' | 'status' | 'ttl'>;

interface DeliveryFilter {
  readonly status?: DeliveryRecord['status'] | undefined;
}

/** Reads per call, each up to 1 MB, which is a few hundred deliveries. Workers need the partition's capacity, too. */
const readsMax = 3;
const itemsPerRead = 1_000;

/**
 * One page, newest first: ids sort by the time of their event. `next` is undefined only at the end of the list. With a filter, a
 * page may be short or even empty and still have a `next`, because one call reads a limited number of items.
 */
export const listDeliveries = async <D extends Kept = DeliveryRecord>(
  tenant: Tenant,
  ownerId: string,
  { status }: DeliveryFilter,
  page: { readonly limit: number; readonly after: string | undefined },
  now: Date,
): Promise<{ deliveries: readonly D[]; next: string | undefined }> => {
  const range: Range = {
    pk: webhookKey.delivery(tenant, ownerId, '').pk,
    // The health record is in the same partition.
    prefix: `${idPrefixes.delivery}_`,
    newestFirst: true,
    ...(status !== undefined && { where: { status } }),
  };
  const found: D[] = [];
  // One more than requested, to learn whether there is a next page.
  const limit = status === undefined ? page.limit + 1 : itemsPerRead;
  let after = page.after;
  for (let reads = 0; reads < readsMax; reads++) {
    const read = await query<D>({ ...range, after, limit });
    found.push(...read.items.filter((record) => isKept(record, now)));
    if (found.length > page.limit) return { deliveries: found.slice(0, page.limit), next: found[page.limit - 1]?.sk };
    if (read.next === undefined) return { deliveries: found, next: undefined };
    after = read.next;
  }
  return { deliveries: found, next: after };
};

const isKept = ({ ttl }: Kept, now: Date): boolean => ttl > epochSeconds(now);

/** `lastError` is of the last attempt, and is shown until an attempt succeeds. */
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

/** The request of the last attempt. Its secrets were masked before it was stored, except for the URL in older records. */
export const requestData = ({ request }: DeliveryRecord): z.input<typeof DeliveryRequest> => {
  if (!request) throw new ApiError('CONFLICT', 'No request has been sent for this delivery yet');
  return { method: 'POST', ...request, url: maskUrl(request.url) };
};
