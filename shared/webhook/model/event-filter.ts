import { filterableAttributes } from './filterable-attributes.ts';
import type { StoredEvent, WebhookFilters, WebhookRecord } from './record.ts';
import { allowedEvents, subscribes } from './subscription.ts';

/** Whether a webhook gets an event of its organization. */
export const matchesEventFilter = (
  webhook: Pick<WebhookRecord, 'id' | 'events' | 'format' | 'filters'>,
  event: StoredEvent,
): boolean =>
  !isAboutItself(webhook, event) &&
  allowedEvents(webhook.format).includes(event.type) &&
  webhook.events.some((subscription) => subscribes(subscription, event.type)) &&
  passes(webhook.filters, event);

/**
 * A webhook does not get the incidents that are about itself: an endpoint that fails would be told so in vain, and each such delivery
 * would count as one more failure.
 */
const isAboutItself = ({ id }: Pick<WebhookRecord, 'id'>, { data }: StoredEvent): boolean => {
  const { incident } = data as { readonly incident?: { readonly subject: { readonly type: string; readonly id: string } } };
  return incident?.subject.type === 'webhook' && incident.subject.id === id;
};

/** An empty list is no filter. An event without a project or trigger matches no list of them and is never excluded. */
const passes = ({ projects, trigger, excludeTrigger }: WebhookFilters, event: StoredEvent): boolean => {
  const attributes = filterableAttributes(event);
  const isOneOf = (list: readonly string[]): boolean => attributes.trigger !== null && list.includes(attributes.trigger);
  return (
    (projects.length === 0 || attributes.projectIds.some((id) => projects.includes(id))) &&
    (trigger.length === 0 || isOneOf(trigger)) &&
    !isOneOf(excludeTrigger)
  );
};
