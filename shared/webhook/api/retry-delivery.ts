import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { beginRound, isInProgress, resumeRound } from '../../delivery/index.ts';
import { enqueue } from '../../event/index.ts';
import { whileActive } from '../../organization/index.ts';
import { type Change, check, StaleReadError, type Tenant, type Write } from '../../platform/index.ts';
import { isRetried } from '../model/new-delivery.ts';
import { type WebhookDeliveryRecord, type WebhookRecord, webhookKey } from '../model/record.ts';
import { allowedEvents } from '../model/subscription.ts';

/**
 * A delivery that has ended, failed or delivered, gets one more attempt under the same id. One that lost its message continues its
 * round and keeps the remaining attempts.
 * Of concurrent retries one succeeds. The message is part of the transaction.
 */
export const retryDelivery = (
  tenant: Tenant,
  { webhook, delivery, now }: { readonly webhook: WebhookRecord; readonly delivery: WebhookDeliveryRecord; readonly now: Date },
): Change => {
  if (!webhook.enabled) throw webhookDisabledError();
  if (!allowedEvents(webhook.format).includes(delivery.event.type))
    throw new ApiError(
      'CONFLICT',
      `The webhook now uses the ${webhook.format} format, which has no ${delivery.event.type} event`,
    );
  if (isInProgress(delivery, now)) throw new ApiError('CONFLICT', 'The delivery is still in progress. Wait until it has ended');
  const { id: deliveryId, attempts, event } = delivery;
  return {
    writes: [
      delivery.status !== 'attempting' || !isRetried(webhook)
        ? beginRound(delivery, { attempts: 1, now, more: { replay: undefined } })
        : resumeRound(delivery, now),
      enqueue(tenant, { kind: 'deliver', webhookId: webhook.id, deliveryId, attempt: attempts + 1 }, now),
      whileEnabled(tenant, webhook),
      whileActive(tenant),
    ],
    audit: [
      auditNote(tenant, { type: 'webhook', id: webhook.id, details: { name: webhook.name, deliveryId, event: event.type } }),
    ],
  };
};

export const webhookDisabledError = (): ApiError => new ApiError('CONFLICT', 'The webhook is disabled. Enable it first');

/** Fails the transaction if the webhook was disabled or deleted concurrently. */
export const whileEnabled = (tenant: Tenant, { id }: WebhookRecord): Write =>
  check(webhookKey.webhook(tenant, id), { enabled: true }, () => new StaleReadError());
