/** One due attempt: compose, lease, send, classify, record. */
import { type Clock, envList, iso, log, type postGuarded, type Tenant } from '../../platform/index.ts';
import type { DeliveryQueue } from '../model/delivery-queues.ts';
import { type ComposedRequest, composeRequest } from '../request/compose-request.ts';
import { openSecrets, openUrl } from '../request/webhook-secrets.ts';
import { leaseAttempt, leaseSeconds, needsLease } from './attempt-lease.ts';
import { classifyOutcome, type DeliveryVerdict } from './classify-outcome.ts';
import type { DueAttempt } from './prepare-attempt.ts';
import { recordAttempt, type SentAttempt } from './record-attempt.ts';

export interface DeliveryDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly post: typeof postGuarded;
  /** How long to wait for the previous attempt to be recorded. */
  readonly waitMs?: number;
}

export interface ComposedAttempt {
  readonly request: ComposedRequest;
  readonly sentAt: Date;
}

/** A request that cannot be composed fails its message, so this comes before any lease is taken. */
export const composeAttempt = async (tenant: Tenant, due: DueAttempt, sentAt: Date): Promise<ComposedAttempt> => {
  const { webhook, delivery, attempt, retry } = due;
  const [secrets, url] = await Promise.all([openSecrets(tenant, webhook, sentAt), openUrl(tenant, webhook, sentAt)]);
  const { id: deliveryId, event, isTest } = delivery;
  const described = { deliveryId, attempt, retry, isTest, sentAt };
  return { request: composeRequest({ ...webhook, url }, secrets, event, described), sentAt };
};

/** Undefined if another worker makes this attempt, or crashed: when its lease ends, that is known. */
export const sendAttempt = async (
  tenant: Tenant,
  { due, composed, queue }: { readonly due: DueAttempt; readonly composed: ComposedAttempt; readonly queue: DeliveryQueue },
  deps: DeliveryDeps,
): Promise<DeliveryVerdict | undefined> => {
  const { webhook, delivery, attempt, retry } = due;
  if (needsLease(due, queue) && !(await leaseAttempt(delivery, leaseSeconds(webhook), deps.clock.now()))) return undefined;
  const { url, headers, body, shownUrl, shownHeaders } = composed.request;
  const { timeoutMs } = webhook;
  const outcome = await deps.post({ url, headers, body, timeoutMs, trusted: envList('WEBHOOK_HOSTS') });
  const request = { url: shownUrl, headers: shownHeaders, body, sentAt: iso(composed.sentAt) };
  const sent: SentAttempt = { due, outcome, request };
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
  return verdict;
};
