/** One attempt of one delivery: prepare, compose, lease, send, classify, record. */
import { type Clock, clock, envList, iso, log, postGuarded, randomFraction, type Tenant } from '../../platform/index.ts';
import { type AttemptRef, type DeliveryQueue, requeueLater } from '../model/delivery-queues.ts';
import { type ComposedRequest, composeRequest } from '../request/compose-request.ts';
import { openSecrets, openUrl } from '../request/webhook-secrets.ts';
import { leaseAttempt, leaseSeconds, needsLease } from './attempt-lease.ts';
import { classifyOutcome } from './classify-outcome.ts';
import { type DueAttempt, prepareAttempt } from './prepare-attempt.ts';
import { abandonDelivery, recordAttempt, type SentAttempt } from './record-attempt.ts';

export interface DeliveryDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly post: typeof postGuarded;
  /** How long to wait for the previous attempt to be recorded. */
  readonly waitMs?: number;
}

/**
 * Makes the attempt that a message names, if it is due. The next attempt is scheduled before this one is recorded. If the
 * worker crashes in between, the message is delivered again and repeats the same attempt, under the same number and id.
 */
export const deliver = async (
  tenant: Tenant,
  ref: AttemptRef,
  queue: DeliveryQueue,
  deps: DeliveryDeps = { clock, random: randomFraction, post: postGuarded },
): Promise<void> => {
  const { webhookId, deliveryId } = ref;
  const prepared = await prepareAttempt(tenant, ref, { queue, now: deps.clock.now(), waitMs: deps.waitMs });
  if (prepared.kind === 'skip') {
    log.info('attempt skipped', { webhookId, deliveryId, attempt: ref.attempt, reason: prepared.reason });
    return;
  }
  if (prepared.kind === 'wait') return requeueLater(tenant, ref, prepared.seconds);
  if (prepared.kind === 'abandon') return abandonDelivery(prepared.delivery, prepared.error);
  // A request that cannot be composed fails its message before the lease is taken.
  const composed = await compose(tenant, prepared, deps.clock.now());
  // Another worker makes this attempt, or crashed: when its lease ends, that is known.
  const seconds = leaseSeconds(prepared.webhook);
  if (needsLease(prepared, queue) && !(await leaseAttempt(prepared.delivery, seconds, deps.clock.now())))
    return requeueLater(tenant, ref, seconds);
  await send(tenant, prepared, composed, deps);
};

const send = async (tenant: Tenant, due: DueAttempt, { request, sentAt }: Composed, deps: DeliveryDeps): Promise<void> => {
  const { url, headers, body, shownUrl, shownHeaders } = request;
  const { webhook, delivery, attempt, retry } = due;
  const { timeoutMs } = webhook;
  const outcome = await deps.post({ url, headers, body, timeoutMs, trusted: envList('WEBHOOK_HOSTS') });
  const sent: SentAttempt = { due, outcome, request: { url: shownUrl, headers: shownHeaders, body, sentAt: iso(sentAt) } };
  const now = deps.clock.now();
  const position = { attempt, willRetry: retry.willRetry, roundStart: delivery.roundStart, timeoutMs };
  const verdict = classifyOutcome(outcome, position, now, deps.random());
  log.info('attempt sent', {
    webhookId: webhook.id,
    deliveryId: delivery.id,
    attempt,
    verdict: verdict.kind,
    durationMs: outcome.durationMs,
  });
  await recordAttempt(tenant, sent, verdict, now);
};

interface Composed {
  readonly request: ComposedRequest;
  readonly sentAt: Date;
}

const compose = async (tenant: Tenant, due: DueAttempt, sentAt: Date): Promise<Composed> => {
  const { webhook, delivery, attempt, retry } = due;
  const [secrets, url] = await Promise.all([openSecrets(tenant, webhook, sentAt), openUrl(tenant, webhook, sentAt)]);
  const { id: deliveryId, event, isTest } = delivery;
  const described = { deliveryId, attempt, retry, isTest, sentAt };
  return { request: composeRequest({ ...webhook, url }, secrets, event, described), sentAt };
};
