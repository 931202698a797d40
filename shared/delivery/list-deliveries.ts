/** Reads deliveries. A delivery past its TTL is treated as deleted, whether or not the table has removed it yet. */
import { ApiError } from '../contract/errors.ts';
import { idPrefixes, isId } from '../contract/ids.ts';
import { epochSeconds, get, query, type Range, type Tenant } from '../platform/index.ts';
import { type DeliveryRecord, deliveryKey } from './record.ts';

/** Throws DELIVERY_NOT_FOUND, also for a malformed id and for a delivery of another endpoint. */
export const readDelivery = async <D extends DeliveryRecord>(
  tenant: Tenant,
  { endpointId, id, now }: { readonly endpointId: string; readonly id: string; readonly now: Date },
): Promise<D> => {
  const key = deliveryKey.delivery(tenant, endpointId, id);
  const record = isId('delivery', id) ? ((await get(key)) as D | undefined) : undefined;
  if (!record || !isKept(record, now)) throw new ApiError('DELIVERY_NOT_FOUND', 'Delivery not found');
  return record;
};

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
export const listDeliveries = async <D extends DeliveryRecord>(
  tenant: Tenant,
  {
    endpointId,
    query: { status },
    page,
    now,
  }: {
    readonly endpointId: string;
    readonly query: DeliveryFilter;
    readonly page: { readonly limit: number; readonly after: string | undefined };
    readonly now: Date;
  },
): Promise<{ deliveries: readonly D[]; next: string | undefined }> => {
  const range: Range = {
    pk: deliveryKey.delivery(tenant, endpointId, '').pk,
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

const isKept = ({ ttl }: DeliveryRecord, now: Date): boolean => ttl > epochSeconds(now);
