export { createWebhook } from './api/create-webhook.ts';
export { deleteWebhook } from './api/delete-webhook.ts';
export { deliveryData, listDeliveries, readDelivery, requestData } from './api/list-deliveries.ts';
export { retryDelivery } from './api/retry-delivery.ts';
export { rotateSecret } from './api/rotate-secret.ts';
export { sendTestEvent } from './api/send-test-event.ts';
export { toggleWebhook, updateWebhook } from './api/update-webhook.ts';
export type { WebhookInput } from './api/webhook-input.ts';
export { type DeliveryDeps, deliver } from './deliver/deliver.ts';
export { disableWebhook } from './disable/disable-webhook.ts';
export { notifyOwner } from './disable/notify-owner.ts';
export { matchEvents } from './match/match-events.ts';
export { deliveryIdOf } from './model/delivery-id.ts';
export { deliveryQueueNamed } from './model/delivery-queues.ts';
export { matchesEventFilter } from './model/event-filter.ts';
export { filterableAttributes } from './model/filterable-attributes.ts';
export { getWebhookWithHealth, listWebhooks, readWebhook, type WebhookWithHealth } from './model/get-webhook.ts';
export { newDelivery } from './model/new-delivery.ts';
export {
  type DeliveryRecord,
  type StoredEvent,
  type WebhookFilters,
  type WebhookRecord,
  webhookKey,
  webhookPrefix,
} from './model/record.ts';
export { allowedEvents, checkEvents, subscribes } from './model/subscription.ts';
export { purgeDeliveries } from './purge/purge-deliveries.ts';
export { waitForFinalDelivery } from './purge/wait-for-final-delivery.ts';
export { runReplay } from './replay/run-replay.ts';
export { startReplay } from './replay/start-replay.ts';
export { composeRequest } from './request/compose-request.ts';
export { isSensitive, mask, maskHeaders } from './request/custom-headers.ts';
export type { Attempt, OpenSecrets } from './request/message-types.ts';
export { openSecrets } from './request/webhook-secrets.ts';
export { sampleEvent } from './sample/sample-event.ts';
export { webhookData, webhookWithSecretData } from './webhook-view.ts';
