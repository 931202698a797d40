import { filterableAttributes } from './event-attributes.ts';
import type { StoredEvent, WebhookFilters, WebhookRecord } from './record.ts';
import { allowedEvents, subscribes } from './subscription.ts';

/** Whether a webhook is to be told of an event. Whose event it is was decided before: both are of one organization. */
export const matches = (webhook: Pick<WebhookRecord, 'events' | 'format' | 'filters'>, event: StoredEvent): boolean =>
  allowedEvents(webhook.format).includes(event.type) &&
  webhook.events.some((subscription) => subscribes(subscription, event.type)) &&
  passes(webhook.filters, event);

/** An empty list is no filter. What has no project or trigger passes no list of them, and is never kept out by its trigger. */
const passes = ({ projects, trigger, excludeTrigger }: WebhookFilters, event: StoredEvent): boolean => {
  const aspects = filterableAttributes(event);
  const isOneOf = (list: readonly string[]): boolean => aspects.trigger !== null && list.includes(aspects.trigger);
  return (
    (projects.length === 0 || aspects.projectIds.some((id) => projects.includes(id))) &&
    (trigger.length === 0 || isOneOf(trigger)) &&
    !isOneOf(excludeTrigger)
  );
};
