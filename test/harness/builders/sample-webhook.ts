/** Sample webhooks, events and attempts. */
import type { EventName } from '../../../shared/contract/events/event-names.ts';
import type { StoredEvent, WebhookRecord } from '../../../shared/webhook/model/record.ts';
import type { Attempt, OpenSecrets } from '../../../shared/webhook/request/message-types.ts';
import { sampleEvent } from '../../../shared/webhook/sample/sample-event.ts';

export const sentAt = new Date('2026-03-01T10:00:00.250Z');
export const organization = { id: 'org_01JZ8Q4V0M6T3X9C2B7N5K1HRD', name: 'Zoë </script>\u2028 & sons 🧪' };

export const sampleOf = (name: EventName): StoredEvent => sampleEvent(name, organization, sentAt);

export const webhookOf = (
  format: WebhookRecord['format'] = 'standard',
  events: readonly string[] = ['*'],
  filters: Partial<WebhookRecord['filters']> = {},
) => ({
  id: 'whk_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
  url: 'https://example.com/hook?a=b',
  format,
  events,
  filters: { projects: [], trigger: [], excludeTrigger: [], ...filters },
});

export const firstAttempt = (at = sentAt): Attempt => ({
  deliveryId: 'dlv_01JZ8Q4V0M6T3X9C2B7N5K1HRD',
  attempt: 1,
  retry: { maxAttempts: 5, willRetry: true },
  sentAt: at,
});

export const secretsOf = (secret: string | undefined, previous?: string, headers: OpenSecrets['headers'] = {}): OpenSecrets => ({
  secret,
  previous,
  headers,
});
