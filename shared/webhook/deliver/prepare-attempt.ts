/** Decides whether an attempt is due, using the webhook's current settings. */
import { setTimeout as pause } from 'node:timers/promises';
import { epochSeconds, getCoalesced, iso, type Tenant } from '../../platform/index.ts';
import { type AttemptRef, type DeliveryQueue, queueFor } from '../model/delivery-queues.ts';
import { isRetried } from '../model/new-delivery.ts';
import { type DeliveryRecord, type HealthRecord, type WebhookRecord, webhookKey } from '../model/record.ts';
import { allowedEvents } from '../model/subscription.ts';
import type { DeliveryRetries } from '../request/message-types.ts';
import { gone } from './classify-outcome.ts';

export interface DueAttempt {
  readonly kind: 'send';
  readonly webhook: WebhookRecord;
  readonly delivery: DeliveryRecord;
  readonly health: HealthRecord | undefined;
  readonly attempt: number;
  readonly retry: DeliveryRetries;
}

export type Prepared =
  | DueAttempt
  /** The attempt was made already, or the delivery has ended, has expired or was not created yet. */
  | { readonly kind: 'skip'; readonly reason: string; readonly isAbsent?: true }
  /** Back to the retry queue: not due yet, leased by another worker, or on the fast queue although the endpoint is slow. */
  | { readonly kind: 'wait'; readonly seconds: number }
  /** The webhook no longer accepts this delivery. */
  | { readonly kind: 'abandon'; readonly delivery: DeliveryRecord; readonly error: string };

interface DeliveryState {
  readonly webhook: WebhookRecord | undefined;
  readonly delivery: DeliveryRecord | undefined;
  readonly health: HealthRecord | undefined;
}

interface AttemptContext {
  readonly now: Date;
  /** The queue that the message came from. */
  readonly queue: DeliveryQueue;
}

/** A worker records its attempt within milliseconds, unless it crashed. */
const recordingMs = 1_000;

export const prepareAttempt = async (
  tenant: Tenant,
  ref: AttemptRef,
  { waitMs = recordingMs, ...context }: AttemptContext & { readonly waitMs?: number | undefined },
): Promise<Prepared> => {
  const state = await loadState(tenant, ref);
  if (!isAhead(state, ref)) return decideAttempt(state, ref, context);
  await pause(waitMs);
  return decideAttempt(await loadState(tenant, ref), ref, context);
};

/** The next attempt of a delivery, whichever it is, if it is due. */
export const prepareNext = async (
  tenant: Tenant,
  ref: Pick<AttemptRef, 'webhookId' | 'deliveryId'>,
  context: AttemptContext,
): Promise<Prepared> => {
  const state = await loadState(tenant, ref);
  const { attempts = 0, nextAttemptAt } = state.delivery ?? {};
  return decideAttempt(state, { ...ref, attempt: attempts + 1, notBefore: nextAttemptAt ?? undefined }, context);
};

const loadState = async (
  tenant: Tenant,
  { webhookId, deliveryId }: Pick<AttemptRef, 'webhookId' | 'deliveryId'>,
): Promise<DeliveryState> => {
  const [webhook, delivery, health] = await getCoalesced([
    webhookKey.webhook(tenant, webhookId),
    webhookKey.delivery(tenant, webhookId, deliveryId),
    webhookKey.health(tenant, webhookId),
  ]);
  return { webhook, delivery, health } as DeliveryState;
};

/** The message of attempt n+1 is sent before attempt n is recorded, so it can arrive first. */
const isAhead = ({ delivery }: DeliveryState, { attempt }: AttemptRef): boolean =>
  delivery?.status === 'attempting' && attempt > delivery.attempts + 1;

/** The largest clock skew between two workers. */
const clockSkewSeconds = 5;

/** Until the attempt is due. Without `notBefore` the queue or the Scheduler has delayed the message already. */
const secondsLeft = ({ notBefore }: AttemptRef, now: Date): number =>
  notBefore === undefined ? 0 : (Date.parse(notBefore) - now.getTime()) / 1_000;

/** Not the first attempt of its round. */
const isRetry = ({ attempts, roundStart }: DeliveryRecord): boolean => attempts > roundStart;

/**
 * If attempt n+1 arrives before n was recorded, the worker of n crashed. Attempt n is repeated under its own number, so nothing
 * is lost or counted twice.
 */
export const decideAttempt = (
  { webhook, delivery, health }: DeliveryState,
  ref: AttemptRef,
  { now, queue }: AttemptContext,
): Prepared => {
  if (!delivery) return { kind: 'skip', reason: 'there is no delivery', isAbsent: true };
  if (delivery.ttl <= epochSeconds(now)) return { kind: 'skip', reason: 'the delivery has expired' };
  if (delivery.status !== 'attempting') return { kind: 'skip', reason: 'the delivery has ended' };
  if (ref.attempt <= delivery.attempts) return { kind: 'skip', reason: 'the attempt was made already' };
  const seconds = secondsLeft(ref, now);
  if (seconds > clockSkewSeconds) return { kind: 'wait', seconds };
  // The worker that holds the lease records the outcome, even if the webhook was disabled or deleted meanwhile.
  const leasedSeconds = (Date.parse(delivery.claimedUntil ?? iso(now)) - now.getTime()) / 1_000;
  if (leasedSeconds > 0) return { kind: 'wait', seconds: leasedSeconds };
  if (!webhook) return { kind: 'abandon', delivery, error: 'The webhook was deleted' };
  if (!webhook.enabled) return { kind: 'abandon', delivery, error: 'The webhook is disabled' };
  if (!allowedEvents(webhook.format).includes(delivery.event.type))
    return { kind: 'abandon', delivery, error: "The event does not exist in the webhook's format" };
  if (isRetry(delivery) && !isRetried(webhook))
    return { kind: 'abandon', delivery, error: delivery.lastError ?? 'Retries are disabled' };
  if (queue === 'delivery' && queueFor(health) === 'deliveryRetry') return { kind: 'wait', seconds: 0 };
  const attempt = delivery.attempts + 1;
  const maxAttempts = isRetried(webhook) ? Math.max(delivery.attemptsMax, attempt) : attempt;
  // An endpoint that said it is gone gets one attempt, if it is asked again at all.
  const willRetry = attempt < maxAttempts && delivery.statusCode !== gone;
  return {
    kind: 'send',
    webhook,
    delivery,
    health,
    attempt,
    retry: { maxAttempts: willRetry ? maxAttempts : attempt, willRetry },
  };
};
