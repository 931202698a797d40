/** From an event that left the table to a delivery for every webhook that is to hear of it. */
import { type Clock, getAll, log, putNew, type Tenant } from '../platform/index.ts';
import { newDelivery } from './delivery.ts';
import { matches } from './filter.ts';
import { laneOf, sendDeliveries } from './lane.ts';
import { webhooksOf } from './read.ts';
import { type DeliveryRecord, type HealthRecord, type StoredEvent, type WebhookRecord, webhookKey } from './record.ts';

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
 * not sure. However often an event comes, it makes one delivery for each webhook; only its message may be sent again, and what
 * was attempted is not attempted for it.
 */
export const matchEvents = async (tenant: Tenant, events: readonly StoredEvent[], clock: Clock): Promise<ReadonlySet<number>> => {
  const pairs = pairsOf(events, await enabledOf(tenant));
  const slow = await slowAmong(tenant, pairs);
  const failed = new Set<number>();
  for (let start = 0; start < pairs.length; start += atOnce) {
    const some = pairs.slice(start, start + atOnce);
    const kept = await Promise.all(some.map((pair) => keep(tenant, pair, clock.now())));
    const wanted = kept.flatMap((delivery) => delivery ?? []);
    const refused = await sendDeliveries(
      tenant,
      wanted.map(({ id, webhookId }) => ({
        webhookId,
        deliveryId: id,
        attempt: 1,
        lane: laneOf({ isSlow: slow.has(webhookId) }),
      })),
    );
    const taken = new Set(wanted.filter((_, n) => !refused.has(n)));
    for (const [n, { position }] of some.entries()) {
      const delivery = kept[n];
      if (!delivery || !taken.has(delivery)) failed.add(position);
    }
  }
  return failed;
};

const enabledOf = async (tenant: Tenant): Promise<readonly WebhookRecord[]> => {
  const enabled: WebhookRecord[] = [];
  for await (const webhook of webhooksOf(tenant)) if (webhook.enabled) enabled.push(webhook);
  return enabled;
};

const pairsOf = (events: readonly StoredEvent[], webhooks: readonly WebhookRecord[]): readonly Pair[] =>
  events.flatMap((event, position) =>
    webhooks.filter((webhook) => matches(webhook, event)).map((webhook) => ({ position, event, webhook })),
  );

const slowAmong = async (tenant: Tenant, pairs: readonly Pair[]): Promise<ReadonlySet<string>> => {
  const ids = [...new Set(pairs.map(({ webhook }) => webhook.id))];
  const healths = (await getAll(ids.map((id) => webhookKey.health(tenant, id)))) as readonly (HealthRecord | undefined)[];
  return new Set(ids.filter((_, n) => laneOf(healths[n]) === 'slowDelivery'));
};

/** The delivery, new or as it was; undefined if that failed. One that was there may have died before its message was sent. */
const keep = async (tenant: Tenant, { event, webhook }: Pair, now: Date): Promise<DeliveryRecord | undefined> => {
  const delivery = newDelivery(tenant, webhook, event, now);
  try {
    await putNew(delivery);
    return delivery;
  } catch (error) {
    log.error('a delivery could not be made', { error, eventId: event.id, webhookId: webhook.id });
    return undefined;
  }
};
