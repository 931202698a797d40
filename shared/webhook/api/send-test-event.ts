import type * as z from 'zod/mini';
import { auditNote } from '../../audit/index.ts';
import type { webhooks } from '../../contract/endpoints/webhooks.ts';
import { invalid } from '../../contract/errors.ts';
import type { EventName } from '../../contract/events/event-names.ts';
import { webhookTestTimeoutMs } from '../../contract/limits.ts';
import { endedAfter } from '../../delivery/index.ts';
import { type CallerContext, organizationRef, whileActive } from '../../organization/index.ts';
import { type Change, create, envList, iso, newId, postGuarded } from '../../platform/index.ts';
import { classifyOutcome } from '../deliver/classify-outcome.ts';
import { newDelivery } from '../model/new-delivery.ts';
import { type WebhookDeliveryRecord, type WebhookRecord, webhookKey } from '../model/record.ts';
import { allowedEvents, subscribes } from '../model/subscription.ts';
import { composeRequest } from '../request/compose-request.ts';
import { onlyAttempt } from '../request/message-types.ts';
import { openSecrets, openUrl } from '../request/webhook-secrets.ts';
import { sampleEvent } from '../sample/sample-event.ts';

type TestResult = z.input<typeof webhooks.test.data>;

/**
 * Sends a sample event at once, even if the webhook is disabled. It is attempted once and does not affect the endpoint's health.
 * The error is as terse as that of any delivery, so that the call cannot be used to probe a network.
 */
export const sendTestEvent = async (
  { tenant, organization }: Pick<CallerContext, 'tenant' | 'organization'>,
  { webhook, requested, now }: { readonly webhook: WebhookRecord; readonly requested: string | undefined; readonly now: Date },
): Promise<{ data: TestResult; change: Change }> => {
  const event = sampleEvent(chooseEvent(webhook, requested), organizationRef(organization), now);
  const deliveryId = newId('delivery', now);
  const attempt = { deliveryId, attempt: 1, retry: onlyAttempt, isTest: true, sentAt: now };
  const [secrets, url] = await Promise.all([openSecrets(tenant, webhook, now), openUrl(tenant, webhook, now)]);
  const request = composeRequest({ ...webhook, url }, { secrets, event, attempt });
  const timeoutMs = Math.min(webhook.timeoutMs, webhookTestTimeoutMs);
  const { headers, body, shownUrl, shownHeaders } = request;
  const answer = await postGuarded({ url, headers, body, timeoutMs, trusted: envList('WEBHOOK_HOSTS') });
  const outcome = classifyOutcome(answer, timeoutMs, { url: shownUrl, headers: shownHeaders, body, sentAt: iso(now) });
  const delivery: WebhookDeliveryRecord = {
    ...newDelivery(tenant, { webhook, event, now }),
    ...webhookKey.delivery(tenant, webhook.id, deliveryId),
    id: deliveryId,
    isTest: true,
    ...endedAfter(outcome, now),
  };
  const success = outcome.kind === 'delivered';
  const { statusCode, error } = outcome;
  const details = { name: webhook.name, event: event.type, deliveryId, success, statusCode };
  return {
    data: {
      webhookId: webhook.id,
      webhookName: webhook.name,
      event: event.type,
      url,
      success,
      statusCode,
      ...(error !== null && { error }),
      duration: outcome.durationMs,
      deliveryId,
    },
    change: {
      writes: [create(delivery), whileActive(tenant)],
      audit: [auditNote(tenant, { type: 'webhook', id: webhook.id, details })],
    },
  };
};

const defaultEvent: EventName = 'backup.completed';

/** The requested event, else the first that the webhook names, else the first that it subscribes to. */
const chooseEvent = ({ format, events }: Pick<WebhookRecord, 'format' | 'events'>, requested: string | undefined): EventName => {
  const allowedValues = allowedEvents(format);
  const named = (name: string): EventName | undefined => allowedValues.find((allowed) => allowed === name);
  if (requested !== undefined) {
    const found = named(requested);
    if (found) return found;
    throw invalid('event', "must be an event name of the webhook's format", { invalidValues: [requested], allowedValues });
  }
  const [exact] = events.flatMap((subscription) => named(subscription) ?? []);
  if (exact || events.includes('*')) return exact ?? defaultEvent;
  return allowedValues.find((name) => events.some((subscription) => subscribes(subscription, name))) ?? defaultEvent;
};
