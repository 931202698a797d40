/** Which events a webhook wants: exact names, a prefix such as `backup.*`, or `*`. */
import { invalid } from '../../contract/errors.ts';
import { type EventName, eventNames, simpleEventNames } from '../../contract/events/event-names.ts';
import type { WebhookFormat } from '../../contract/models/webhook-enums.ts';

/** The names that exist in a format; nothing else is ever sent in it. */
export const allowedEvents = (format: WebhookFormat): readonly EventName[] =>
  format === 'simple' ? simpleEventNames : eventNames;

/** `backup.*` means what begins with `backup.`: neither `backup` itself nor `backups.x`. */
export const subscribes = (subscription: string, name: EventName): boolean =>
  subscription === '*' || subscription === name || (subscription.endsWith('.*') && name.startsWith(subscription.slice(0, -1)));

/** The names and patterns, each once. One that can never match would be a webhook that is silent for ever, so it is refused. */
export const checkEvents = (given: readonly string[], format: WebhookFormat): readonly string[] => {
  const allowedValues = allowedEvents(format);
  const wanted = [...new Set(given)];
  const invalidValues = wanted.filter((subscription) => !allowedValues.some((name) => subscribes(subscription, name)));
  if (wanted.length === 0 || invalidValues.length > 0)
    throw invalid('events', 'must be names of events of the format, a prefix such as backup.*, or *', {
      invalidValues: invalidValues.slice(0, shownMax).map((text) => text.slice(0, shownLengthMax)),
      allowedValues,
    });
  return wanted;
};

/** Enough to see what is wrong, and no more than is safe to send back. */
const shownMax = 20;
const shownLengthMax = 100;
