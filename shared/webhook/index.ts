export { createWebhook } from './api/create-webhook.ts';
export { deleteWebhook } from './api/delete-webhook.ts';
export { deliveryData, requestData } from './api/delivery-view.ts';
export { listEventTypes } from './api/list-event-types.ts';
export { retryDelivery } from './api/retry-delivery.ts';
export { rotateSecret } from './api/rotate-secret.ts';
export { sendTestEvent } from './api/send-test-event.ts';
export { toggleWebhook, updateWebhook } from './api/update-webhook.ts';
export { checkGiven, checkUrl, checkUrlText, type WebhookInput } from './api/webhook-input.ts';
export { deliver } from './deliver/deliver.ts';
export { disableWebhook } from './disable/disable-webhook.ts';
export { notifyOwner } from './disable/notify-owner.ts';
export { matchEvents } from './match/match-events.ts';

export { deliveryQueueNamed } from './model/delivery-queues.ts';

export { getWebhookWithHealth, listWebhooks, readWebhook } from './model/get-webhook.ts';
export { type WebhookDeliveryRecord, type WebhookRecord, webhookKey } from './model/record.ts';
export { readStoredEvent } from './model/stored-event.ts';

export { purgeDeliveries } from './purge/purge-deliveries.ts';
export { waitForFinalDelivery } from './purge/wait-for-final-delivery.ts';
export { runReplay } from './replay/run-replay.ts';
export { startReplay } from './replay/start-replay.ts';

export { keyBytes, standardSignature } from './request/signature.ts';
export { newSecret, openUrl } from './request/webhook-secrets.ts';
export { webhookData, webhookWithSecretData } from './webhook-view.ts';
