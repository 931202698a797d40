import { deliveryAttemptsMax } from '../../contract/limits.ts';
import { firstRound } from '../../delivery/index.ts';
import type { Tenant } from '../../platform/index.ts';
import { deliveryIdOf } from './delivery-id.ts';
import { type StoredEvent, type WebhookDeliveryRecord, type WebhookRecord, webhookKey } from './record.ts';

/** A delivery before its first attempt. */
export const newDelivery = (
  tenant: Tenant,
  { webhook, event, now }: { readonly webhook: WebhookRecord; readonly event: StoredEvent; readonly now: Date },
): WebhookDeliveryRecord => {
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
    ...firstRound(isRetried(webhook) ? deliveryAttemptsMax : 1, now),
  };
};

/** Only the standard format is retried, unless the webhook has retries disabled. */
export const isRetried = ({ format, retryEnabled }: Pick<WebhookRecord, 'format' | 'retryEnabled'>): boolean =>
  format === 'standard' && retryEnabled;
