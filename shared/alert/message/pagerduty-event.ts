import { cleanText, fitText, oneLine } from '../../platform/index.ts';
import { alertFacts } from './alert-facts.ts';
import { alertHeading } from './alert-heading.ts';
import type { AlertMessage } from './alert-message.ts';

/** In characters. The first two are PagerDuty's limits. */
const max = { summary: 1_024, dedupKey: 255, name: 255, text: 8_000, value: 2_000 } as const;

/**
 * An event of the Events API v2. The incident is the deduplication key: a reminder is added to the open alert, and the recovery
 * resolves it.
 */
export const pagerDutyEvent = (routingKey: string, message: AlertMessage) => {
  const { incidentId, state, kind, severity, organization, project, link, openedAt } = message;
  const identity = { routing_key: routingKey, dedup_key: fitText(incidentId, max.dedupKey) };
  if (state === 'recovered') return { ...identity, event_action: 'resolve' } as const;
  const source = oneLine(project?.name ?? organization.name) || (project?.id ?? organization.id);
  return {
    ...identity,
    event_action: 'trigger',
    payload: {
      summary: fitText(alertHeading(message), max.summary),
      source: fitText(source, max.name),
      // A test must not wake anybody up.
      severity: state === 'test' ? 'info' : severity,
      timestamp: openedAt,
      component: project?.id ?? organization.id,
      group: fitText(oneLine(organization.name) || organization.id, max.name),
      class: fitText(kind, max.name),
      custom_details: {
        ...Object.fromEntries(alertFacts(message).map(({ name, value }) => [fitText(name, max.name), fitText(value, max.value)])),
        Details: fitText(cleanText(message.text), max.text),
      },
    },
    links: [{ href: link, text: 'Open in the console' }],
    client: 'Backup Management Service',
    client_url: new URL(link).origin,
  } as const;
};
