/** Sends the events of a time range again, a page at a time. Nobody else waits for it: its messages take the slow lane. */
import { enqueue, eventPrefix } from '../../event/index.ts';
import { organizationKey } from '../../organization/index.ts';
import {
  after,
  type Clock,
  commit,
  epochSeconds,
  getAll,
  type Item,
  idBounds,
  log,
  putIfAbsent,
  query,
  type Tenant,
  updateItem,
} from '../../platform/index.ts';
import { beginRound } from '../deliver/attempt-round.ts';
import { deliveryIdOf } from '../model/delivery-id.ts';
import { sendDeliveries } from '../model/delivery-queues.ts';
import { matches } from '../model/event-filter.ts';
import { newDelivery } from '../model/new-delivery.ts';
import { type DeliveryRecord, type StoredEvent, type WebhookRecord, webhookKey } from '../model/record.ts';
import { extendReplayLock, releaseReplayLock } from './replay-lock.ts';
import { type ReplayTask, replayAction } from './start-replay.ts';

/** Events that are looked at between two looks at the clock. */
const pageEvents = 50;
/** An id is made at most so long after the moment that its event tells of: no function runs longer. */
const idLateSeconds = 900;

/**
 * Goes on until the time given, then asks for another task. Every part may run again: what this replay has begun it does not
 * begin twice. A webhook that was disabled or removed meanwhile ends it, and so does another replay that took its place; one that has ended does nothing again.
 */
export const runReplay = async (tenant: Tenant, task: ReplayTask, until: Date, time: Clock): Promise<void> => {
  if (!(await extendReplayLock(tenant, task, time.now())))
    return log.info('the replay does not go on: it has ended, or another took its place', { webhookId: task.webhookId });
  if (await walkEvents(tenant, task, until, time)) await releaseReplayLock(tenant, task, time.now());
};

/** False if there is more to do than fits into the time, and a task was asked for that does it. */
const walkEvents = async (tenant: Tenant, task: ReplayTask, until: Date, time: Clock): Promise<boolean> => {
  const bounds = idBounds('event', new Date(task.from), after(new Date(task.to), idLateSeconds));
  const range = {
    pk: `ORG#${tenant.organizationId}`,
    prefix: eventPrefix,
    from: `${eventPrefix}${bounds.first}`,
    to: `${eventPrefix}${bounds.last}`,
    limit: pageEvents,
  };
  let position = task.after && `${eventPrefix}${task.after}`;
  do {
    if (time.now() >= until) {
      const from = position?.slice(eventPrefix.length);
      await commit([enqueue(tenant, { ...task, after: from }, time.now())]);
      return false;
    }
    const webhook = await enabledWebhook(tenant, task.webhookId);
    if (!webhook) {
      log.info('the replay ends: its webhook is disabled or gone', { webhookId: task.webhookId });
      return true;
    }
    const page = await query({ ...range, after: position });
    await replayPage(tenant, webhook, task, page.items.filter(isWanted(webhook, task, time.now())).map(eventOf), time.now());
    position = page.next;
  } while (position !== undefined);
  return true;
};

const enabledWebhook = async (tenant: Tenant, webhookId: string): Promise<WebhookRecord | undefined> => {
  const keys = [organizationKey.organization(tenant), webhookKey.webhook(tenant, webhookId)] as const;
  const [organization, webhook] = await getAll(keys);
  return organization && !organization.deletedAt && webhook?.enabled ? webhook : undefined;
};

/** Of the time range, not forgotten, and what both the webhook and the replay are about. */
const isWanted =
  (webhook: WebhookRecord, { from, to, events }: ReplayTask, now: Date) =>
  (item: Item): boolean => {
    const event = eventOf(item);
    return (
      event.timestamp >= from &&
      event.timestamp <= to &&
      (item.ttl as number) > epochSeconds(now) &&
      matches(webhook, event) &&
      matches({ ...webhook, events }, event)
    );
  };

const eventOf = (item: Item): StoredEvent => {
  const { id, type, timestamp, data } = item as Item & StoredEvent;
  return { id, type, timestamp, data };
};

/** A message that the queue does not take fails the task, which is given again and sends it then. */
const replayPage = async (
  tenant: Tenant,
  webhook: WebhookRecord,
  task: ReplayTask,
  events: readonly StoredEvent[],
  now: Date,
): Promise<void> => {
  const keys = events.map(({ id }) => webhookKey.delivery(tenant, webhook.id, deliveryIdOf(id, webhook.id)));
  const found = await getAll(keys);
  const begun = await Promise.all(events.map((event, n) => beginDelivery(tenant, webhook, task, event, found[n], now)));
  const wanted = begun.filter((each) => each !== undefined);
  const refused = await sendDeliveries(tenant, wanted);
  if (refused.size > 0) throw new Error(`the queue did not take ${refused.size} of ${wanted.length} messages of a replay`);
};

type Wanted = Parameters<typeof sendDeliveries>[1][number];

/** The message to send, if there is one: the record says so before it leaves. */
const beginDelivery = async (
  tenant: Tenant,
  webhook: WebhookRecord,
  task: ReplayTask,
  event: StoredEvent,
  found: DeliveryRecord | undefined,
  now: Date,
): Promise<Wanted | undefined> => {
  const fresh = { ...newDelivery(tenant, webhook, event, now), replay: task.walk };
  const { id: deliveryId, attempts } = found ?? fresh;
  const redoing = replayAction(found, task, now);
  const isBegun =
    redoing === 'resend' ||
    (redoing === 'make' && (await putIfAbsent(fresh))) ||
    (redoing === 'again' && found !== undefined && (await updateItem(beginRound(found, fresh.attemptsMax, now, task.walk))));
  return isBegun ? { webhookId: webhook.id, deliveryId, attempt: attempts + 1, lane: 'slowDelivery' } : undefined;
};
