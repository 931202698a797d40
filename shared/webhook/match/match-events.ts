/** From an event in the table to a delivery for every webhook that is to hear of it. */
import { eventKey } from '../../event/index.ts';
import { type Clock, getAll, log, putIfAbsent, type Tenant } from '../../platform/index.ts';
import { queueFor, sendDeliveries } from '../model/delivery-queues.ts';
import { matches } from '../model/event-filter.ts';
import { webhooksOf } from '../model/get-webhook.ts';
import { newDelivery } from '../model/new-delivery.ts';
import { type DeliveryRecord, type StoredEvent, type WebhookRecord, webhookKey } from '../model/record.ts';
import { readStoredEvent } from '../model/stored-event.ts';

/** Deliveries that are put at once, and then sent. */
const atOnce = 100;

interface Pair {
  /** Of the event. */
  readonly position: number;
  readonly event: StoredEvent;
  readonly webhook: WebhookRecord;
}

/**
 * Makes the deliveries of an organization's events and has them attempted; tells the positions of the events for which that is
 * not sure, or which did not fit the time. However often an event comes, it makes one delivery for each webhook; only its message
 * may be sent again, and what was attempted is not attempted for it.
 */
export const matchEvents = async (
  tenant: Tenant,
  eventIds: readonly string[],
  until: Date,
  clock: Clock,
): Promise<ReadonlySet<number>> => {
  const { pairs, unread } = await findPairs(tenant, eventIds);
  const slow = await slowWebhooks(tenant, pairs);
  const failed = new Set(unread);
  let start = 0;
  for (; start < pairs.length && clock.now() < until; start += atOnce)
    for (const { position } of await createAndSend(tenant, pairs.slice(start, start + atOnce), slow, clock.now()))
      failed.add(position);
  const left = pairs.slice(start);
  if (left.length > 0) log.warn('the time for matching is over', { organizationId: tenant.organizationId, left: left.length });
  for (const { position } of left) failed.add(position);
  return failed;
};

/** One event after the other; and the positions of those that cannot be read, which keep no other from being told. */
const findPairs = async (tenant: Tenant, eventIds: readonly string[]) => {
  const keys = eventIds.map((eventId) => eventKey(tenant, eventId));
  const [items, webhooks] = await Promise.all([getAll(keys), enabledOf(tenant)]);
  const pairs: Pair[] = [];
  const unread: number[] = [];
  for (const [position, item] of items.entries()) {
    const eventId = eventIds[position];
    try {
      // It went with its organization.
      if (!item) log.info('an event is no more, and nobody is told of it', { eventId });
      else pairs.push(...pairsOf(position, readStoredEvent(item), webhooks));
    } catch (error) {
      log.error('an event could not be matched', { error, eventId });
      unread.push(position);
    }
  }
  return { pairs, unread };
};

const enabledOf = async (tenant: Tenant): Promise<readonly WebhookRecord[]> => {
  const enabled: WebhookRecord[] = [];
  for await (const webhook of webhooksOf(tenant)) if (webhook.enabled) enabled.push(webhook);
  return enabled;
};

/** However long an event has waited here, it is none of a webhook that was added since it happened. */
const pairsOf = (position: number, event: StoredEvent, webhooks: readonly WebhookRecord[]): readonly Pair[] =>
  webhooks
    .filter((webhook) => webhook.createdAt <= event.timestamp && matches(webhook, event))
    .map((webhook) => ({ position, event, webhook }));

/** This only chooses the lane: nobody goes untold for it, and where it cannot be read the slow one keeps nobody waiting. */
const slowWebhooks = async (tenant: Tenant, pairs: readonly Pair[]): Promise<ReadonlySet<string>> => {
  const ids = [...new Set(pairs.map(({ webhook }) => webhook.id))];
  try {
    const healths = await getAll(ids.map((id) => webhookKey.health(tenant, id)));
    return new Set(ids.filter((_, n) => queueFor(healths[n]) === 'slowDelivery'));
  } catch (error) {
    log.warn('nothing is known of endpoints: the slow lane is taken for all', { error, organizationId: tenant.organizationId });
    return new Set(ids);
  }
};

/** Makes these deliveries and has them attempted; those for which that is not sure. */
const createAndSend = async (
  tenant: Tenant,
  some: readonly Pair[],
  slow: ReadonlySet<string>,
  now: Date,
): Promise<readonly Pair[]> => {
  const kept = await Promise.all(some.map((pair) => createDelivery(tenant, pair, now)));
  const wanted = kept.flatMap((one) => one ?? []);
  const refused = await sendDeliveries(
    tenant,
    wanted.map(({ delivery: { id, webhookId }, isNew }) => ({
      webhookId,
      deliveryId: id,
      attempt: 1,
      lane: queueFor({ isSlow: !isNew || slow.has(webhookId) }),
      ...(!isNew && { delaySeconds: duplicateDelaySeconds }),
    })),
  );
  const taken = new Set(wanted.filter((_, n) => !refused.has(n)));
  return some.filter((_, n) => {
    const one = kept[n];
    return !one || !taken.has(one);
  });
};

/** The message of a delivery that was there is on its way, or died with whoever was to send it: after this long that is known. */
const duplicateDelaySeconds = 10;

interface CreatedDelivery {
  readonly delivery: DeliveryRecord;
  readonly isNew: boolean;
}

/** The delivery, new or as it was; undefined if that failed. */
const createDelivery = async (tenant: Tenant, { event, webhook }: Pair, now: Date): Promise<CreatedDelivery | undefined> => {
  try {
    const delivery = newDelivery(tenant, webhook, event, now);
    return { delivery, isNew: await putIfAbsent(delivery) };
  } catch (error) {
    log.error('a delivery could not be made', { error, eventId: event.id, webhookId: webhook.id });
    return undefined;
  }
};
