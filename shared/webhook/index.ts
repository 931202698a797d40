export { type Aspects, aspectsOf } from './aspects.ts';
export type { Attempt, OpenSecrets } from './attempt.ts';
export { matches } from './filter.ts';
export { isSensitive, mask, maskHeaders } from './header.ts';
export {
  type DeliveryRecord,
  type StoredEvent,
  type WebhookFilters,
  type WebhookRecord,
  webhookKey,
  webhookPrefix,
} from './record.ts';
export { type ComposedRequest, composeRequest } from './request.ts';
export { openSecrets } from './secret.ts';
export { allowedEvents, checkEvents, subscribes } from './subscription.ts';
