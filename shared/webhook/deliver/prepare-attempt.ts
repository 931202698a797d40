/** Whether an attempt is to be made, of what, and with which settings: those of the webhook as it is now. */
import { setTimeout as pause } from 'node:timers/promises';
import { epochSeconds, getCoalesced, iso, type Tenant } from '../../platform/index.ts';
import { type AttemptRef, type DeliveryQueue, queueFor } from '../model/delivery-queues.ts';
import { isRetried } from '../model/new-delivery.ts';
import { type DeliveryRecord, type HealthRecord, type WebhookRecord, webhookKey } from '../model/record.ts';
import { allowedEvents } from '../model/subscription.ts';

export interface DueAttempt {
  readonly kind: 'due';
  readonly webhook: WebhookRecord;
  readonly delivery: DeliveryRecord;
  readonly health: HealthRecord | undefined;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly willRetry: boolean;
}

export type Prepared =
  | DueAttempt
  /** There is nothing to do: it was done, or its delivery is no more. */
  | { readonly kind: 'over'; readonly why: string }
  /** Among the slow, for so long: its time has not come, another makes it, or it is in the quick lane and its endpoint is slow meanwhile. */
  | { readonly kind: 'waits'; readonly seconds: number }
  /** There is nobody to send it to any more, so it ends here. */
  | { readonly kind: 'vain'; readonly delivery: DeliveryRecord; readonly error: string };

export interface DeliveryState {
  readonly webhook: WebhookRecord | undefined;
  readonly delivery: DeliveryRecord | undefined;
  readonly health: HealthRecord | undefined;
}

/** Whoever made the attempt before writes it down within milliseconds, unless it died. */
const recordingMs = 1_000;

export const prepareAttempt = async (
  tenant: Tenant,
  name: AttemptRef,
  lane: DeliveryQueue,
  now: Date,
  waitMs = recordingMs,
): Promise<Prepared> => {
  const found = await loadState(tenant, name);
  if (!isAhead(found, name)) return decideAttempt(found, name, now, lane);
  await pause(waitMs);
  return decideAttempt(await loadState(tenant, name), name, now, lane);
};

const loadState = async (tenant: Tenant, { webhookId, deliveryId }: AttemptRef): Promise<DeliveryState> => {
  const [webhook, delivery, health] = await getCoalesced([
    webhookKey.webhook(tenant, webhookId),
    webhookKey.delivery(tenant, webhookId, deliveryId),
    webhookKey.health(tenant, webhookId),
  ]);
  return { webhook, delivery, health } as DeliveryState;
};

/** The message of an attempt is sent before the attempt that it follows is written down, and may be here first. */
const isAhead = ({ delivery }: DeliveryState, { attempt }: AttemptRef): boolean =>
  delivery?.status === 'attempting' && attempt > delivery.attempts + 1;

/** No two clocks of ours differ by more. */
const earlyMaxSeconds = 5;

/** Until the attempt is due; one that says nothing of it was kept back by whoever brought it. */
const secondsLeft = ({ notBefore }: AttemptRef, now: Date): number =>
  notBefore === undefined ? 0 : (Date.parse(notBefore) - now.getTime()) / 1_000;

/** Not the first of its round. */
const isRetry = ({ attempts, roundStart }: DeliveryRecord): boolean => attempts > roundStart;

/**
 * An attempt that was made is not made again. One that comes too early says that whoever made the one before died without
 * writing it down: that one is made again, under its own number, so that nothing is lost and nothing is counted twice.
 */
export const decideAttempt = (
  { webhook, delivery, health }: DeliveryState,
  name: AttemptRef,
  now: Date,
  lane: DeliveryQueue = 'slowDelivery',
): Prepared => {
  if (!delivery || delivery.ttl <= epochSeconds(now)) return { kind: 'over', why: 'the delivery is gone' };
  if (delivery.status !== 'attempting') return { kind: 'over', why: 'the delivery is finished' };
  if (name.attempt <= delivery.attempts) return { kind: 'over', why: 'the attempt was made' };
  const seconds = secondsLeft(name, now);
  if (seconds > earlyMaxSeconds) return { kind: 'waits', seconds };
  // Whoever makes it says how it ended, whatever became of the webhook meanwhile.
  const claimedSeconds = (Date.parse(delivery.claimedUntil ?? iso(now)) - now.getTime()) / 1_000;
  if (claimedSeconds > 0) return { kind: 'waits', seconds: claimedSeconds };
  if (!webhook) return { kind: 'vain', delivery, error: 'The webhook was removed' };
  if (!webhook.enabled) return { kind: 'vain', delivery, error: 'The webhook is disabled' };
  if (!allowedEvents(webhook.format).includes(delivery.event.type))
    return { kind: 'vain', delivery, error: 'The event does not exist in the format of the webhook' };
  if (isRetry(delivery) && !isRetried(webhook)) return { kind: 'vain', delivery, error: delivery.lastError ?? 'Retries are off' };
  if (lane === 'delivery' && queueFor(health) === 'slowDelivery') return { kind: 'waits', seconds: 0 };
  const attempt = delivery.attempts + 1;
  const maxAttempts = isRetried(webhook) ? Math.max(delivery.attemptsMax, attempt) : attempt;
  return { kind: 'due', webhook, delivery, health, attempt, maxAttempts, willRetry: attempt < maxAttempts };
};
