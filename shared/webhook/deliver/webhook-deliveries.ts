import type { DeliveryKind } from '../../delivery/index.ts';
import { sendAttemptLater } from '../model/delivery-queues.ts';
import type { WebhookDeliveryRecord, WebhookRecord } from '../model/record.ts';

export const webhookDeliveries: DeliveryKind<WebhookRecord, WebhookDeliveryRecord> = {
  endpoint: 'webhook',
  delivery: 'delivery',
  counters: { delivered: 'DeliveriesDelivered', retry: 'DeliveriesRetried', failed: 'DeliveriesFailed' },
  durationMetric: 'DeliveryDuration',
  sendLater: (tenant, { endpoint, delivery, attempt, delaySeconds, now }) =>
    sendAttemptLater(tenant, { ref: { webhookId: endpoint.id, deliveryId: delivery.id, attempt }, delaySeconds, now }),
  disableTask: ({ id: webhookId, revision }, failure) => ({ kind: 'disable-webhook', webhookId, ...failure, revision }),
  healthTask: ({ id: webhookId }) => ({ kind: 'apply-webhook', webhookId }),
};
