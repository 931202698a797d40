export { createWebhook } from './api/create-webhook.ts';
export { deleteWebhook } from './api/delete-webhook.ts';
export { deliveryData, listDeliveries, readDelivery, requestData } from './api/list-deliveries.ts';
export { retryDelivery } from './api/retry-delivery.ts';
export { rotateSecret } from './api/rotate-secret.ts';
export { sendTestEvent } from './api/send-test-event.ts';
export { toggleWebhook, updateWebhook } from './api/update-webhook.ts';
export type { WebhookInput } from './api/webhook-input.ts';
export { deliver } from './deliver/deliver.ts';
export { disableWebhook } from './disable/disable-webhook.ts';
export { notifyOwner } from './disable/notify-owner.ts';
export { matchEvents } from './match/match-events.ts';

export { deliveryQueueNamed } from './model/delivery-queues.ts';

export { getWebhookWithHealth, listWebhooks, readWebhook } from './model/get-webhook.ts';

export { purgeDeliveries } from './purge/purge-deliveries.ts';
export { waitForFinalDelivery } from './purge/wait-for-final-delivery.ts';
export { runReplay } from './replay/run-replay.ts';
export { startReplay } from './replay/start-replay.ts';

export { webhookData, webhookWithSecretData } from './webhook-view.ts';
