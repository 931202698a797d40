/** Trying a webhook for a caller: an event that is made up, sent at once, whatever state the webhook is in. */
import type * as z from 'zod';
import type { webhooks } from '../../contract/endpoints/webhooks.ts';
import { invalid } from '../../contract/errors.ts';
import type { EventName } from '../../contract/events/event-names.ts';
import { webhookTestTimeoutMs } from '../../contract/limits.ts';
import { type CallerContext, organizationRef, whileActive } from '../../organization/index.ts';
import { type Change, create, envList, newId, type PostOutcome, postGuarded } from '../../platform/index.ts';
import { errorOf, isSuccess } from '../deliver/classify-outcome.ts';
import { newDelivery } from '../model/new-delivery.ts';
import { type DeliveryRecord, type WebhookRecord, webhookKey } from '../model/record.ts';
import { allowedEvents, subscribes } from '../model/subscription.ts';
import { type ComposedRequest, composeRequest } from '../request/compose-request.ts';
import { openSecrets } from '../request/webhook-secrets.ts';
import { sampleEvent } from '../sample/sample-event.ts';
import { about } from './create-webhook.ts';

type Tried = z.input<typeof webhooks.test.data>;

/**
 * One attempt, and no more: it says nothing about the endpoint's health and disables nothing. What came of it is told in the
 * same few words as of any delivery, so that nobody learns from it what lies behind an address.
 */
export const sendTestEvent = async (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  webhook: WebhookRecord,
  wanted: string | undefined,
  now: Date,
): Promise<{ data: Tried; change: Change }> => {
  const event = sampleEvent(chosenEvent(webhook, wanted), organizationRef(organization), now);
  const deliveryId = newId('delivery', now);
  const attempt = { deliveryId, attempt: 1, maxAttempts: 1, willRetry: false, sentAt: now };
  const request = composeRequest(webhook, await openSecrets(tenant, webhook, now), event, attempt);
  const timeoutMs = Math.min(webhook.timeoutMs, webhookTestTimeoutMs);
  const { url, headers, body } = request;
  const outcome = await postGuarded({ url, headers, body, timeoutMs, trusted: envList('WEBHOOK_HOSTS') });
  const fresh = { ...newDelivery(tenant, webhook, event, now), ...webhookKey.delivery(tenant, webhook.id, deliveryId) };
  const delivery = ended({ ...fresh, id: deliveryId, isTest: true }, request, outcome, timeoutMs);
  const success = delivery.status === 'delivered';
  const { statusCode, lastError } = delivery;
  const details = { name: webhook.name, event: event.type, deliveryId, success, statusCode };
  return {
    data: {
      webhookId: webhook.id,
      webhookName: webhook.name,
      event: event.type,
      url,
      success,
      statusCode,
      ...(lastError !== null && { error: lastError }),
      duration: outcome.durationMs,
      deliveryId,
    },
    change: {
      writes: [create(delivery), whileActive(tenant)],
      audit: [{ ...about(tenant, webhook.id), details }],
    },
  };
};

/** The delivery after its only attempt: if that failed, someone may have it made again, as of any other. */
const ended = (
  delivery: DeliveryRecord,
  { url, shownHeaders, body }: ComposedRequest,
  outcome: PostOutcome,
  timeoutMs: number,
): DeliveryRecord => ({
  ...delivery,
  status: isSuccess(outcome) ? 'delivered' : 'failed',
  attempts: 1,
  attemptsMax: 1,
  statusCode: outcome.kind === 'answered' ? outcome.status : null,
  durationMs: outcome.durationMs,
  lastError: isSuccess(outcome) ? null : errorOf(outcome, timeoutMs),
  lastAttemptAt: delivery.createdAt,
  nextAttemptAt: null,
  request: { url, headers: shownHeaders, body, sentAt: delivery.createdAt },
});

/** What is easiest to recognise for a webhook that hears everything. */
const bestKnown: EventName = 'backup.completed';

/** The one that was asked for; else the first that the webhook names; else the first that it would hear of. */
const chosenEvent = ({ format, events }: Pick<WebhookRecord, 'format' | 'events'>, wanted: string | undefined): EventName => {
  const allowedValues = allowedEvents(format);
  const named = (name: string): EventName | undefined => allowedValues.find((allowed) => allowed === name);
  if (wanted !== undefined) {
    const found = named(wanted);
    if (found) return found;
    throw invalid('event', 'must be the name of an event of the format', { invalidValues: [wanted], allowedValues });
  }
  const [exact] = events.flatMap((subscription) => named(subscription) ?? []);
  if (exact || events.includes('*')) return exact ?? bestKnown;
  return allowedValues.find((name) => events.some((subscription) => subscribes(subscription, name))) ?? bestKnown;
};
