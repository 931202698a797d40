export { aspectsOf } from './aspects.ts';
export type { Attempt, OpenSecrets } from './attempt.ts';
export { changeWebhook, toggleWebhook } from './change.ts';
export { createWebhook } from './creation.ts';
export { webhookData, webhookWithSecretData } from './data.ts';
export { deliver, type Means } from './delivering.ts';
export { newDelivery } from './delivery.ts';
export { deliveryIdOf } from './delivery-id.ts';
export { disableWebhook } from './disabling.ts';
export { untilTold } from './farewell.ts';
export { matches } from './filter.ts';
export { isSensitive, mask, maskHeaders } from './header.ts';
export { deliveryData, listDeliveries, readDelivery, requestData } from './history.ts';
export { laneOfQueue } from './lane.ts';
export { matchEvents } from './matching.ts';
export { purgeDeliveries } from './purge.ts';
export { type Known, listWebhooks, readKnown, readWebhook } from './read.ts';
export {
  type DeliveryRecord,
  type StoredEvent,
  type WebhookFilters,
  type WebhookRecord,
  webhookKey,
  webhookPrefix,
} from './record.ts';
export { removeWebhook } from './removal.ts';
export { startReplay } from './replay.ts';
export { replayWebhook } from './replaying.ts';
export { composeRequest } from './request.ts';
export { retryDelivery } from './retry.ts';
export { rotateSecret } from './rotation.ts';
export { sampleEvent } from './sample.ts';
export { openSecrets } from './secret.ts';
export { allowedEvents, checkEvents, subscribes } from './subscription.ts';
export { tellDisabled } from './telling.ts';
export { tryWebhook } from './trial.ts';
export type { WebhookWish } from './wish.ts';
