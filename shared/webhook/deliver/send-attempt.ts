/** One due attempt of a delivery: what is sent, under which lease. */
import { makeAttempt, type Verdict } from '../../delivery/index.ts';
import { type Clock, envList, iso, type postGuarded, type Tenant } from '../../platform/index.ts';
import type { DeliveryQueue } from '../model/delivery-queues.ts';
import type { WebhookRecord } from '../model/record.ts';
import { type ComposedRequest, composeRequest } from '../request/compose-request.ts';
import { openSecrets, openUrl } from '../request/webhook-secrets.ts';
import { classifyOutcome } from './classify-outcome.ts';
import type { DueDelivery } from './prepare-attempt.ts';
import { webhookDeliveries } from './webhook-deliveries.ts';

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
export const composeAttempt = async (tenant: Tenant, due: DueDelivery, sentAt: Date): Promise<ComposedAttempt> => {
  const { endpoint: webhook, delivery, attempt, retry } = due;
  const [secrets, url] = await Promise.all([openSecrets(tenant, webhook, sentAt), openUrl(tenant, webhook, sentAt)]);
  const { id: deliveryId, event, isTest } = delivery;
  const described = { deliveryId, attempt, retry, isTest, sentAt };
  return { request: composeRequest({ ...webhook, url }, { secrets, event, attempt: described }), sentAt };
};

/** Time beside the request itself: signing it, scheduling the next attempt, recording the outcome. */
const overheadSeconds = 15;

/** The longest that one attempt can take. */
export const leaseSeconds = ({ timeoutMs }: Pick<WebhookRecord, 'timeoutMs'>): number => timeoutMs / 1_000 + overheadSeconds;

/**
 * The first attempt on the fast queue is not worth a write: only one of two workers records it, so at most one request is sent
 * twice. Retries and everything on the retry queue are leased.
 */
const needsLease = ({ delivery, attempt }: DueDelivery, queue: DeliveryQueue): boolean =>
  queue === 'deliveryRetry' || attempt > delivery.roundStart + 1;

/** Undefined if another worker makes this attempt, or crashed. */
export const sendAttempt = (
  tenant: Tenant,
  { due, composed, queue }: { readonly due: DueDelivery; readonly composed: ComposedAttempt; readonly queue: DeliveryQueue },
  deps: DeliveryDeps,
): Promise<Verdict | undefined> => {
  const { timeoutMs } = due.endpoint;
  const { sentAt, request } = composed;
  const { url, headers, body, shownUrl, shownHeaders } = request;
  return makeAttempt(
    tenant,
    {
      kind: webhookDeliveries,
      due,
      sentAt,
      leaseSeconds: needsLease(due, queue) ? leaseSeconds(due.endpoint) : 0,
      send: async () => {
        const outcome = await deps.post({ url, headers, body, timeoutMs, trusted: envList('WEBHOOK_HOSTS') });
        return classifyOutcome(outcome, timeoutMs, { url: shownUrl, headers: shownHeaders, body, sentAt: iso(sentAt) });
      },
    },
    deps,
  );
};
