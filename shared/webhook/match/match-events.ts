/** Creates a delivery of an event for every webhook that subscribes to it. */
import { eventKey } from '../../event/index.ts';
import { type Clock, getAll, log, putIfAbsent, type Tenant } from '../../platform/index.ts';
import { queueFor, sendDeliveries } from '../model/delivery-queues.ts';
import { matchesEventFilter } from '../model/event-filter.ts';
import { webhooksOf } from '../model/get-webhook.ts';
import { newDelivery } from '../model/new-delivery.ts';
import { enterSequence } from '../model/progress-sequence.ts';
import { type StoredEvent, type WebhookRecord, webhookKey } from '../model/record.ts';
import { readStoredEvent } from '../model/stored-event.ts';

/** Deliveries created and sent between two checks of the deadline. */
const batchSize = 100;

interface Pair {
  /** The position of the event in the request. */
  readonly position: number;
  readonly event: StoredEvent;
  readonly webhook: WebhookRecord;
}

/**
 * Creates and sends the deliveries of an organization's events. Returns the positions of the events that failed or did not fit
 * into the time. Idempotent: a repeated event creates no second delivery, and its repeated message causes no second attempt.
 */
export const matchEvents = async (
  tenant: Tenant,
  { eventIds, until, clock }: { readonly eventIds: readonly string[]; readonly until: Date; readonly clock: Clock },
): Promise<ReadonlySet<number>> => {
  const { pairs, unread } = await findPairs(tenant, eventIds);
  const slow = await slowWebhooks(tenant, pairs);
  const failed = new Set(unread);
  let start = 0;
  for (; start < pairs.length && clock.now() < until; start += batchSize)
    for (const { position } of await createAndSend(tenant, {
      pairs: pairs.slice(start, start + batchSize),
      slow,
      now: clock.now(),
    }))
      failed.add(position);
  const remaining = pairs.slice(start);
  if (remaining.length > 0) {
    const { organizationId } = tenant;
    log.warn('matching timed out; remaining events will be retried', { organizationId, remaining: remaining.length });
  }
  for (const { position } of remaining) failed.add(position);
  return failed;
};

/** All pairs in the order of the events, and the positions of unreadable events, which do not affect the others. */
const findPairs = async (tenant: Tenant, eventIds: readonly string[]) => {
  const keys = eventIds.map((eventId) => eventKey(tenant, eventId));
  const [items, webhooks] = await Promise.all([getAll(keys), enabledOf(tenant)]);
  const pairs: Pair[] = [];
  const unread: number[] = [];
  for (const [position, item] of items.entries()) {
    const eventId = eventIds[position];
    try {
      if (!item) log.info('event expired before matching; no deliveries created', { eventId });
      else pairs.push(...pairsOf(position, readStoredEvent(item), webhooks));
    } catch (error) {
      log.error('could not match an event', { error, eventId });
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

/** A webhook gets no event that happened before it was created, however long the event waited here. */
const pairsOf = (position: number, event: StoredEvent, webhooks: readonly WebhookRecord[]): readonly Pair[] =>
  webhooks
    .filter((webhook) => webhook.createdAt <= event.timestamp && matchesEventFilter(webhook, event))
    .map((webhook) => ({ position, event, webhook }));

/** Ids of the webhooks that use the retry queue: all of them if the health records cannot be read. */
const slowWebhooks = async (tenant: Tenant, pairs: readonly Pair[]): Promise<ReadonlySet<string>> => {
  const ids = [...new Set(pairs.map(({ webhook }) => webhook.id))];
  try {
    const healths = await getAll(ids.map((id) => webhookKey.health(tenant, id)));
    return new Set(ids.filter((_, n) => queueFor(healths[n]) === 'deliveryRetry'));
  } catch (error) {
    log.warn('could not read endpoint health; using the retry queue for all', { error, organizationId: tenant.organizationId });
    return new Set(ids);
  }
};

/** Returns the pairs that failed. */
const createAndSend = async (
  tenant: Tenant,
  { pairs, slow, now }: { readonly pairs: readonly Pair[]; readonly slow: ReadonlySet<string>; readonly now: Date },
): Promise<readonly Pair[]> => {
  const created = (await Promise.all(pairs.map((pair) => createDelivery(tenant, pair, now)))).filter((one) => one !== undefined);
  const refused = await sendDeliveries(
    tenant,
    created.map(
      ({
        deliveryId,
        isNew,
        pair: {
          webhook: { id: webhookId },
        },
      }) => ({
        webhookId,
        deliveryId,
        attempt: 1,
        queue: queueFor({ isSlow: !isNew || slow.has(webhookId) }),
        delaySeconds: isNew ? undefined : duplicateDelaySeconds,
      }),
    ),
  );
  const sent = new Set(created.filter((_, n) => !refused.has(n)).map(({ pair }) => pair));
  return pairs.filter((pair) => !sent.has(pair));
};

/** An existing delivery has its message on the way, or its sender crashed. After this delay the record tells which. */
const duplicateDelaySeconds = 10;

/** The delivery, new or existing; undefined if the write failed. */
const createDelivery = async (tenant: Tenant, pair: Pair, now: Date) => {
  const { event, webhook } = pair;
  try {
    const delivery = newDelivery(tenant, { webhook, event, now });
    await enterSequence(delivery, webhook, now);
    return { pair, deliveryId: delivery.id, isNew: await putIfAbsent(delivery) };
  } catch (error) {
    log.error('could not create a delivery', { error, eventId: event.id, webhookId: webhook.id });
    return undefined;
  }
};
