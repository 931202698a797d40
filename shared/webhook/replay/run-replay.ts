/** Sends the events of a time range again, page by page, over the retry queue, so that it delays no other delivery. */
import { beginRound } from '../../delivery/index.ts';
import { enqueue, eventPrefix } from '../../event/index.ts';
import { organizationKey } from '../../organization/index.ts';
import {
  after,
  type Clock,
  commit,
  epochSeconds,
  getAll,
  idBounds,
  log,
  putIfAbsent,
  query,
  type Tenant,
  updateItem,
} from '../../platform/index.ts';
import { deliveryIdOf } from '../model/delivery-id.ts';
import { sendDeliveries } from '../model/delivery-queues.ts';
import { matchesEventFilter } from '../model/event-filter.ts';
import { newDelivery } from '../model/new-delivery.ts';
import { enterSequence } from '../model/progress-sequence.ts';
import { type StoredEvent, type WebhookDeliveryRecord, type WebhookRecord, webhookKey } from '../model/record.ts';
import { extendReplayLock, releaseReplayLock } from './replay-lock.ts';
import { type ReplayTask, replayAction } from './start-replay.ts';

/** Events between two checks of the deadline. */
const pageEvents = 50;
/** The id of an event is generated at most this long after its timestamp: no function runs longer. */
const idLateSeconds = 900;

/**
 * Runs until the deadline, then enqueues a task that continues. Idempotent: a repeated part starts no round twice. The replay
 * ends when its webhook is disabled or deleted, or when another replay has taken the lock.
 */
export const runReplay = async (
  tenant: Tenant,
  task: ReplayTask,
  { until, time }: { readonly until: Date; readonly time: Clock },
): Promise<void> => {
  if (!(await extendReplayLock(tenant, task, time.now())))
    return log.info('replay stopped: it has ended or another replay holds the lock', { webhookId: task.webhookId });
  if (await walkEvents(tenant, { task, until, time })) await releaseReplayLock(tenant, task, time.now());
};

/** True when it reached the end; false if the deadline passed and a task to continue was enqueued. */
const walkEvents = async (
  tenant: Tenant,
  { task, until, time }: { readonly task: ReplayTask; readonly until: Date; readonly time: Clock },
): Promise<boolean> => {
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
      log.info('replay ended: the webhook is disabled or deleted', { webhookId: task.webhookId });
      return true;
    }
    const page = await query<StoredEvent & { readonly ttl: number }>({ ...range, after: position });
    const isKept = ({ ttl }: { readonly ttl: number }): boolean => ttl > epochSeconds(time.now());
    const events = page.items.filter((event) => isKept(event) && isWanted(webhook, task, event));
    await replayPage({ tenant, webhook, task, now: time.now() }, events);
    position = page.next;
  } while (position !== undefined);
  return true;
};

const enabledWebhook = async (tenant: Tenant, webhookId: string): Promise<WebhookRecord | undefined> => {
  const [organization, webhook] = await getAll([organizationKey.organization(tenant), webhookKey.webhook(tenant, webhookId)]);
  return organization && !organization.deletedAt && webhook?.enabled ? webhook : undefined;
};

/** In the time range, and matched by both the webhook and the replay. */
const isWanted = (webhook: WebhookRecord, { from, to, events }: ReplayTask, event: StoredEvent): boolean =>
  event.timestamp >= from &&
  event.timestamp <= to &&
  matchesEventFilter(webhook, event) &&
  matchesEventFilter({ ...webhook, events }, event);

interface ReplayContext {
  readonly tenant: Tenant;
  readonly webhook: WebhookRecord;
  readonly task: ReplayTask;
  readonly now: Date;
}

/** Throws if the queue does not accept a message: the task is then retried and sends it. */
const replayPage = async (context: ReplayContext, events: readonly StoredEvent[]): Promise<void> => {
  const { tenant, webhook } = context;
  const keys = events.map(({ id }) => webhookKey.delivery(tenant, webhook.id, deliveryIdOf(id, webhook.id)));
  const found = await getAll(keys);
  const begun = await Promise.all(events.map((event, n) => beginDelivery(context, event, found[n])));
  const attempts = begun.filter((each) => each !== undefined);
  const refused = await sendDeliveries(tenant, attempts);
  if (refused.size > 0) throw new Error(`the queue did not accept ${refused.size} of ${attempts.length} messages of a replay`);
};

type ReplayedAttempt = Parameters<typeof sendDeliveries>[1][number];

/** The attempt to send, if any. The record is written before the message is sent. */
const beginDelivery = async (
  { tenant, webhook, task, now }: ReplayContext,
  event: StoredEvent,
  found: WebhookDeliveryRecord | undefined,
): Promise<ReplayedAttempt | undefined> => {
  const fresh = { ...newDelivery(tenant, { webhook, event, now }), replay: task.walk };
  const { id: deliveryId, attempts } = found ?? fresh;
  const action = replayAction(found, task, now);
  const isBegun =
    action === 'resend' ||
    (action === 'create' && (await putIfAbsent(fresh))) ||
    (action === 'newRound' &&
      found !== undefined &&
      (await updateItem(beginRound(found, { attempts: fresh.attemptsMax, now, more: { replay: task.walk } }))));
  if (isBegun) await enterSequence({ ...(found ?? fresh), replay: task.walk }, webhook, now);
  return isBegun ? { webhookId: webhook.id, deliveryId, attempt: attempts + 1, queue: 'deliveryRetry' } : undefined;
};
