/** One attempt of one delivery: prepare; put off, or compose, claim, send, judge and record. */
import { type Clock, clock, envList, iso, log, postGuarded, randomFraction, type Tenant } from '../../platform/index.ts';
import { type AttemptRef, type DeliveryQueue, requeueLater } from '../model/delivery-queues.ts';
import { type ComposedRequest, composeRequest } from '../request/compose-request.ts';
import { openSecrets } from '../request/webhook-secrets.ts';
import { leaseAttempt, leaseSeconds, needsLease } from './attempt-lease.ts';
import { classifyOutcome } from './classify-outcome.ts';
import { type DueAttempt, prepareAttempt } from './prepare-attempt.ts';
import { abandonDelivery, recordAttempt, type SentAttempt } from './record-attempt.ts';

/** Time, chance and the wire are passed in. */
export interface DeliveryDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly post: typeof postGuarded;
  /** How long the attempt before is waited for, if it is not written down. */
  readonly waitMs?: number;
}

/**
 * Makes the attempt that a message names, if it is due. What another attempt needs is arranged before this one is written down:
 * whoever dies in between leaves a message that comes again, and the same attempt is made again, under the same number and id.
 */
export const deliver = async (
  tenant: Tenant,
  name: AttemptRef,
  lane: DeliveryQueue,
  means: DeliveryDeps = { clock, random: randomFraction, post: postGuarded },
): Promise<void> => {
  const { webhookId, deliveryId } = name;
  const prepared = await prepareAttempt(tenant, name, lane, means.clock.now(), means.waitMs);
  if (prepared.kind === 'over') {
    log.info('an attempt is not made', { webhookId, deliveryId, attempt: name.attempt, why: prepared.why });
    return;
  }
  if (prepared.kind === 'waits') return requeueLater(tenant, name, prepared.seconds);
  if (prepared.kind === 'vain') return abandonDelivery(prepared.delivery, prepared.error);
  // What cannot be composed fails its message before anything is claimed.
  const composed = await compose(tenant, prepared, means.clock.now());
  // Another makes it, or died: when its time is over, one of the two is known.
  if (needsLease(prepared, lane) && !(await leaseAttempt(prepared, means.clock.now())))
    return requeueLater(tenant, name, leaseSeconds(prepared.webhook));
  await attempt(tenant, prepared, composed, means);
};

const attempt = async (tenant: Tenant, due: DueAttempt, { request, sentAt }: Composed, means: DeliveryDeps): Promise<void> => {
  const { url, headers, body, shownHeaders } = request;
  const { timeoutMs } = due.webhook;
  const outcome = await means.post({ url, headers, body, timeoutMs, trusted: envList('WEBHOOK_HOSTS') });
  const made: SentAttempt = { due, outcome, request: { url, headers: shownHeaders, body, sentAt: iso(sentAt) } };
  const now = means.clock.now();
  const { webhook, delivery, attempt: number, willRetry } = due;
  const standing = { attempt: number, willRetry, roundStart: delivery.roundStart, timeoutMs: webhook.timeoutMs };
  const verdict = classifyOutcome(made.outcome, standing, now, means.random());
  log.info('an attempt was made', {
    webhookId: webhook.id,
    deliveryId: delivery.id,
    attempt: number,
    verdict: verdict.kind,
    durationMs: made.outcome.durationMs,
  });
  await recordAttempt(tenant, made, verdict, now);
};

interface Composed {
  readonly request: ComposedRequest;
  readonly sentAt: Date;
}

const compose = async (tenant: Tenant, due: DueAttempt, sentAt: Date): Promise<Composed> => {
  const { webhook, delivery, attempt, maxAttempts, willRetry } = due;
  const secrets = await openSecrets(tenant, webhook, sentAt);
  const { id: deliveryId, event } = delivery;
  return { request: composeRequest(webhook, secrets, event, { deliveryId, attempt, maxAttempts, willRetry, sentAt }), sentAt };
};
