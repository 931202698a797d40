export { createWebhook } from './api/create-webhook.ts';
export { deleteWebhook } from './api/delete-webhook.ts';
export { deliveryData, listDeliveries, readDelivery, requestData } from './api/list-deliveries.ts';
export { listEventTypes } from './api/list-event-types.ts';
export { retryDelivery } from './api/retry-delivery.ts';
export { rotateSecret } from './api/rotate-secret.ts';
export { sendTestEvent } from './api/send-test-event.ts';
export { toggleWebhook, updateWebhook } from './api/update-webhook.ts';
export { checkGiven, checkUrl, checkUrlText, type WebhookInput } from './api/webhook-input.ts';
export { leaseAttempt } from './deliver/attempt-lease.ts';
export { beginRound, isInProgress } from './deliver/attempt-round.ts';
export { errorOf } from './deliver/classify-outcome.ts';
export { deliver } from './deliver/deliver.ts';
export { failingSince, isDead, recordHealth } from './deliver/endpoint-health.ts';
export { updateUnlessRecorded } from './deliver/record-attempt.ts';
export { retryDelay } from './deliver/retry-delay.ts';
export { disableWebhook } from './disable/disable-webhook.ts';
export { notifyOwner } from './disable/notify-owner.ts';
export { matchEvents } from './match/match-events.ts';

export { deliveryQueueNamed } from './model/delivery-queues.ts';

export { getWebhookWithHealth, listWebhooks, readWebhook } from './model/get-webhook.ts';
export { type DeliveryRecord, type HealthRecord, type WebhookRecord, webhookKey } from './model/record.ts';
export { readStoredEvent } from './model/stored-event.ts';

export { purgeDeliveries } from './purge/purge-deliveries.ts';
export { waitForFinalDelivery } from './purge/wait-for-final-delivery.ts';
export { runReplay } from './replay/run-replay.ts';
export { startReplay } from './replay/start-replay.ts';

export { keyBytes, standardSignature } from './request/signature.ts';
export { newSecret, openUrl } from './request/webhook-secrets.ts';
export { webhookData, webhookWithSecretData } from './webhook-view.ts';
