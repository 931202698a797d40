/** Examples of webhooks, their events and deliveries. */
import type * as z from 'zod/mini';
import { isFailureEvent } from '../../events/event-names.ts';
import { idPrefixes } from '../../ids.ts';
import { deliveryAttemptsMax, webhookTimeoutMs } from '../../limits.ts';
import type { Delivery, DeliveryRequest, WebhookEvent, WebhookWithSecret } from '../../models/webhook.ts';
import { sampleEventData } from '../../samples/sample-event-data.ts';
import { sampleResourcesAt } from '../../samples/sample-resources.ts';
import { exampleTime } from './request-examples.ts';

const { ago } = sampleResourcesAt(exampleTime);
const ulid = '01JZ8Q4V0M6T3X9C2B7N5K1HRD';
const now = exampleTime.toISOString();
const yesterday = ago(24 * 3_600);
const organizationId = `${idPrefixes.organization}_${ulid}`;
const secret = '********';

export const webhook: z.output<typeof WebhookWithSecret> = {
  id: `${idPrefixes.webhook}_${ulid}`,
  name: 'On-call',
  url: 'https://example.com/hooks/backups',
  events: ['backup.*', 'restore.failed'],
  enabled: true,
  format: 'standard',
  headers: {},
  timeout: webhookTimeoutMs,
  retryEnabled: true,
  filters: { projects: [], trigger: [], excludeTrigger: [] },
  disabledReason: null,
  lastTriggeredAt: now,
  failingSince: null,
  failureCount: 0,
  createdAt: yesterday,
  updatedAt: yesterday,
  secret,
  previousSecretExpiresAt: null,
};

const eventId = `${idPrefixes.event}_${ulid}`;
const deliveryId = `${idPrefixes.delivery}_${ulid}`;

const firstOutlook = { maxAttempts: deliveryAttemptsMax, willRetry: true };

/** The body of a request of an event in the standard format. */
export const standardExample = (name: Parameters<typeof sampleEventData>[0]) => ({
  id: eventId,
  type: name,
  timestamp: now,
  data: sampleEventData(name, { id: organizationId, name: 'Example' }, exampleTime),
  metadata: { trigger: null, scheduleId: null, attempt: 1, deliveryId, ...(isFailureEvent(name) && firstOutlook) },
});

export const webhookEvent: z.output<typeof WebhookEvent> = {
  name: 'member.joined',
  description: 'A member joined',
  formats: ['standard'],
  samples: { standard: standardExample('member.joined'), simple: null },
};

export const delivery: z.output<typeof Delivery> = {
  id: deliveryId,
  eventId,
  eventType: 'backup.completed',
  status: 'delivered',
  statusCode: 204,
  timestamp: now,
  duration: 87,
  attempts: 1,
  lastAttemptAt: now,
  nextAttemptAt: null,
};

export const deliveryRequest: z.output<typeof DeliveryRequest> = {
  method: 'POST',
  url: webhook.url,
  headers: { 'Content-Type': 'application/json', 'X-Service-Delivery-Id': deliveryId, 'X-Service-Signature': secret },
  body: JSON.stringify(standardExample('member.joined')),
  sentAt: now,
};
