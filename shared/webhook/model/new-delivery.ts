import { deliveryAttemptsMax, deliveryKeptSeconds } from '../../contract/limits.ts';
import { after, epochSeconds, iso, type Tenant } from '../../platform/index.ts';
import { deliveryIdOf } from './delivery-id.ts';
import { type DeliveryRecord, type StoredEvent, type WebhookRecord, webhookKey } from './record.ts';

/** A delivery before its first attempt. */
export const newDelivery = (tenant: Tenant, webhook: WebhookRecord, event: StoredEvent, now: Date): DeliveryRecord => {
  const id = deliveryIdOf(event.id, webhook.id);
  return {
    ...webhookKey.delivery(tenant, webhook.id, id),
    id,
    webhookId: webhook.id,
    event: {
      id: event.id,
      type: event.type,
      timestamp: event.timestamp,
      data: event.data,
      ...(event.requestId !== undefined && { requestId: event.requestId }),
    },
    status: 'attempting',
    attempts: 0,
    roundStart: 0,
    attemptsMax: roundAttempts(webhook),
    statusCode: null,
    durationMs: null,
    lastError: null,
    lastAttemptAt: null,
    nextAttemptAt: iso(now),
    createdAt: iso(now),
    ttl: epochSeconds(after(now, deliveryKeptSeconds)),
  };
};

/** Only the standard format is retried, unless the webhook has retries disabled. */
export const isRetried = ({ format, retryEnabled }: Pick<WebhookRecord, 'format' | 'retryEnabled'>): boolean =>
  format === 'standard' && retryEnabled;

/** Attempts of a full round. */
const roundAttempts = (webhook: Pick<WebhookRecord, 'format' | 'retryEnabled'>): number =>
  isRetried(webhook) ? deliveryAttemptsMax : 1;
