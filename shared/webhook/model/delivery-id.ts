import { derivedId } from '../../platform/index.ts';

/** Derived from event and webhook, so that matching an event twice creates one delivery. Sorts by the time of the event. */
export const deliveryIdOf = (eventId: string, webhookId: string): string =>
  derivedId('delivery', eventId, `${eventId}\n${webhookId}`);
