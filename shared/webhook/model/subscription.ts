/** Subscriptions of a webhook: exact event names, a prefix such as `backup.*`, or `*`. */
import { invalid } from '../../contract/errors.ts';
import { type EventName, eventNames, simpleEventNames } from '../../contract/events/event-names.ts';
import type { WebhookFormat } from '../../contract/models/webhook-enums.ts';

/** The events that exist in a format. */
export const allowedEvents = (format: WebhookFormat): readonly EventName[] =>
  format === 'simple' ? simpleEventNames : eventNames;

/** `backup.*` matches names that begin with `backup.`, so neither `backup` nor `backups.x`. */
export const subscribes = (subscription: string, name: EventName): boolean =>
  subscription === '*' || subscription === name || (subscription.endsWith('.*') && name.startsWith(subscription.slice(0, -1)));

/** Without duplicates. Throws VALIDATION_ERROR for a subscription that can never match. */
export const checkEvents = (events: readonly string[], format: WebhookFormat): readonly string[] => {
  const allowedValues = allowedEvents(format);
  const wanted = [...new Set(events)];
  const invalidValues = wanted.filter((subscription) => !allowedValues.some((name) => subscribes(subscription, name)));
  if (wanted.length === 0 || invalidValues.length > 0)
    throw invalid('events', 'must be event names of the format, a prefix such as backup.*, or *', {
      invalidValues: invalidValues.slice(0, shownMax).map((text) => text.slice(0, shownLengthMax)),
      allowedValues,
    });
  return wanted;
};

/** Limits of the invalid values that the error repeats. */
const shownMax = 20;
const shownLengthMax = 100;
