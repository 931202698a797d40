/** Trying a delivery once more because someone asks for it. */
import { ApiError } from '../../contract/errors.ts';
import { enqueue } from '../../event/index.ts';
import { whileActive } from '../../organization/index.ts';
import { type Change, StaleReadError, type Tenant, type Write } from '../../platform/index.ts';
import { beginRound, isInProgress, resumeRound } from '../deliver/attempt-round.ts';
import { isRetried } from '../model/new-delivery.ts';
import { type DeliveryRecord, type WebhookRecord, webhookKey } from '../model/record.ts';
import { allowedEvents } from '../model/subscription.ts';
import { about } from './create-webhook.ts';

/**
 * One attempt more of what failed, whoever else asks for it at the same moment; of what has lost its message the one that is
 * overdue, and nobody loses those that would follow. The message leaves with the change.
 */
export const retryDelivery = (tenant: Tenant, webhook: WebhookRecord, delivery: DeliveryRecord, now: Date): Change => {
  if (!webhook.enabled) throw webhookDisabledError();
  if (!allowedEvents(webhook.format).includes(delivery.event.type))
    throw new ApiError(
      'CONFLICT',
      `${delivery.event.type} does not exist in the ${webhook.format} format, which the webhook has now`,
    );
  if (delivery.status === 'delivered')
    throw new ApiError('CONFLICT', 'This delivery was delivered; only one that failed is retried');
  if (isInProgress(delivery, now))
    throw new ApiError('CONFLICT', 'This delivery is still being attempted; wait until it has ended');
  const { id: deliveryId, attempts, event } = delivery;
  return {
    writes: [
      delivery.status === 'failed' || !isRetried(webhook) ? beginRound(delivery, 1, now) : resumeRound(delivery, now),
      enqueue(tenant, { kind: 'deliver', webhookId: webhook.id, deliveryId, attempt: attempts + 1 }, now),
      whileEnabled(tenant, webhook),
      whileActive(tenant),
    ],
    audit: [{ ...about(tenant, webhook.id), details: { name: webhook.name, deliveryId, event: event.type } }],
  };
};

export const webhookDisabledError = (): ApiError => new ApiError('CONFLICT', 'This webhook is disabled; enable it first');

/** Nothing is begun for a webhook that is disabled or removed at the same moment. */
export const whileEnabled = (tenant: Tenant, { id }: WebhookRecord): Write => ({
  check: webhookKey.webhook(tenant, id),
  condition: 'attribute_exists(pk) AND #enabled = :yes',
  names: { '#enabled': 'enabled' },
  values: { ':yes': true },
  onConditionFailed: () => new StaleReadError(),
});
