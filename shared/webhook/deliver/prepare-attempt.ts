/** Loads a delivery, and decides whether its attempt is due and its webhook still wants it. */
import { type AttemptDecision, type AttemptState, type DueAttempt, decideAttempt, loadRecorded } from '../../delivery/index.ts';
import { getCoalesced, type Tenant } from '../../platform/index.ts';
import { type AttemptRef, type DeliveryQueue, queueFor } from '../model/delivery-queues.ts';
import { isRetried } from '../model/new-delivery.ts';
import { type WebhookDeliveryRecord, type WebhookRecord, webhookKey } from '../model/record.ts';
import { allowedEvents } from '../model/subscription.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';

export type DueDelivery = DueAttempt<WebhookRecord, WebhookDeliveryRecord>;

type State = AttemptState<WebhookRecord, WebhookDeliveryRecord>;
type Decision = AttemptDecision<WebhookRecord, WebhookDeliveryRecord>;

interface AttemptContext {
  readonly now: Date;
  /** The queue that the message came from. */
  readonly queue: DeliveryQueue;
}

export const prepareAttempt = async (
  tenant: Tenant,
  ref: AttemptRef,
  { waitMs, ...context }: AttemptContext & { readonly waitMs?: number | undefined },
): Promise<Decision> => decideDelivery(await loadRecorded(() => loadState(tenant, ref), ref, waitMs), ref, context);

/** The next attempt of a delivery, whichever it is, if it is due. */
export const prepareNext = async (
  tenant: Tenant,
  ref: Pick<AttemptRef, 'webhookId' | 'deliveryId'>,
  context: AttemptContext,
): Promise<Decision> => {
  const state = await loadState(tenant, ref);
  const { attempts = 0, nextAttemptAt } = state.delivery ?? {};
  return decideDelivery(state, { ...ref, attempt: attempts + 1, notBefore: nextAttemptAt ?? undefined }, context);
};

const loadState = async (
  tenant: Tenant,
  { webhookId, deliveryId }: Pick<AttemptRef, 'webhookId' | 'deliveryId'>,
): Promise<State> => {
  const [endpoint, delivery, health] = await getCoalesced([
    webhookKey.webhook(tenant, webhookId),
    webhookKey.delivery(tenant, webhookId, deliveryId),
    webhookKey.health(tenant, webhookId),
  ]);
  return { endpoint, delivery, health } as State;
};

export const decideDelivery = (state: State, ref: AttemptRef, { now, queue }: AttemptContext): Decision =>
  decideAttempt(state, ref, {
    now,
    kind: webhookDeliveries,
    isRetried,
    objection: (webhook, delivery) => {
      if (!allowedEvents(webhook.format).includes(delivery.event.type)) return "The event does not exist in the webhook's format";
      if (isRetry(delivery) && !isRetried(webhook)) return delivery.lastError ?? 'Retries are disabled';
      // On the fast queue although the endpoint is slow.
      return queue === 'delivery' && queueFor(state.health) === 'deliveryRetry' ? { kind: 'wait', seconds: 0 } : undefined;
    },
  });

/** Not the first attempt of its round. */
const isRetry = ({ attempts, roundStart }: WebhookDeliveryRecord): boolean => attempts > roundStart;
