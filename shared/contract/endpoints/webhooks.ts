import * as z from 'zod';
import { apiPrefix, group } from '../endpoint.ts';
import { Moment, When } from '../fields.ts';
import { outsideShare, overlapHours, overlapHoursMax, webhookTimeoutMs } from '../limits.ts';
import { Delivery, DeliveryRequest, webhookFields as given, Webhook, WebhookWithSecret } from '../models/webhook.ts';
import { deliveryStatuses, replayStatuses } from '../models/webhook-enums.ts';

const read = { role: 'viewer', scope: 'organization:read' } as const;
const manage = { role: 'admin', scope: 'organization:write' } as const;
const saves = ['table:write', 'webhook:seal'] as const;

const change = {
  access: manage,
  body: z.strictObject(z.object(given).partial().shape),
  data: WebhookWithSecret,
  audit: 'webhook.updated',
  errors: ['WEBHOOK_NOT_FOUND'],
  capabilities: [...saves],
} as const;

const overlapRange = `must be a whole number from 0 to ${overlapHoursMax}`;

export const webhooks = group('webhooks', `${apiPrefix}/webhooks`, {
  create: {
    method: 'POST',
    path: '',
    access: manage,
    summary: 'Add a webhook; a secret that is made for it is shown in this answer only',
    body: z.strictObject({
      ...given,
      secret: given.secret.optional(),
      enabled: given.enabled.default(true),
      headers: given.headers.default({}),
      timeout: given.timeout.default(webhookTimeoutMs),
      retryEnabled: given.retryEnabled.default(true),
      filters: given.filters.prefault({}),
      format: given.format.default('standard'),
    }),
    data: WebhookWithSecret,
    status: 201,
    audit: 'webhook.created',
    errors: ['CONFLICT'],
    idempotent: true,
    capabilities: [...saves],
  },
  list: {
    method: 'GET',
    path: '',
    access: read,
    summary: 'The webhooks, newest first',
    list: Webhook,
    capabilities: ['table:read'],
  },
  get: {
    method: 'GET',
    path: '/{webhookId}',
    access: read,
    summary: 'A webhook; its secret is masked',
    data: WebhookWithSecret,
    errors: ['WEBHOOK_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  replace: { method: 'PUT', path: '/{webhookId}', summary: 'Change a webhook; only what is given changes', ...change },
  update: { method: 'PATCH', path: '/{webhookId}', summary: 'Change a webhook; only what is given changes', ...change },
  remove: {
    method: 'DELETE',
    path: '/{webhookId}',
    access: manage,
    summary: 'Remove a webhook; nothing more is sent to it',
    audit: 'webhook.deleted',
    errors: ['WEBHOOK_NOT_FOUND'],
    capabilities: ['table:write'],
  },
  toggle: {
    method: 'PATCH',
    path: '/{webhookId}/toggle',
    access: manage,
    summary: 'Enable or disable a webhook',
    body: z.strictObject({ enabled: given.enabled }),
    data: Webhook.pick({ id: true, enabled: true, updatedAt: true }),
    audit: 'webhook.toggled',
    errors: ['WEBHOOK_NOT_FOUND'],
    capabilities: ['table:write'],
  },
  rotateSecret: {
    method: 'POST',
    path: '/{webhookId}/rotate-secret',
    access: manage,
    summary: 'Make a new secret, shown in this answer only; for some hours the old one signs beside it',
    body: z.strictObject({
      overlapHours: z.int(overlapRange).min(0, overlapRange).max(overlapHoursMax, overlapRange).default(overlapHours),
    }),
    bodyOptional: true,
    data: WebhookWithSecret,
    audit: 'webhook.secret_rotated',
    errors: ['WEBHOOK_NOT_FOUND'],
    idempotent: true,
    capabilities: [...saves],
  },
  test: {
    method: 'POST',
    path: '/{webhookId}/test',
    access: manage,
    summary: 'Send an event made up for the purpose, at once, and see what comes back',
    body: z.strictObject({
      event: z.string().optional().describe('The name of an event; the first that the webhook subscribes to'),
    }),
    bodyOptional: true,
    data: z.object({
      webhookId: z.string(),
      webhookName: z.string(),
      event: z.string(),
      url: z.string(),
      success: z.boolean(),
      statusCode: z.int().nullable().describe('Null where nothing was answered'),
      error: z.string().optional(),
      duration: z.int().describe('Milliseconds'),
      deliveryId: z.string(),
    }),
    audit: 'webhook.tested',
    errors: ['WEBHOOK_NOT_FOUND'],
    outboundShare: outsideShare,
    capabilities: ['table:write', 'webhook:send'],
  },
  deliveries: {
    method: 'GET',
    path: '/{webhookId}/deliveries',
    access: read,
    summary: 'What was sent to a webhook in the last 30 days, newest first',
    query: z.strictObject({ status: z.enum(deliveryStatuses).optional() }),
    data: z.object({ deliveries: z.array(Delivery) }),
    paged: true,
    errors: ['WEBHOOK_NOT_FOUND'],
    capabilities: ['table:read'],
  },
  request: {
    method: 'GET',
    path: '/{webhookId}/deliveries/{deliveryId}/request',
    access: read,
    summary: 'The request of the last attempt, as it was sent',
    data: DeliveryRequest,
    errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'CONFLICT'],
    capabilities: ['table:read'],
  },
  retry: {
    method: 'POST',
    path: '/{webhookId}/deliveries/{deliveryId}/retry',
    access: manage,
    summary: 'Try a delivery that failed once more',
    body: z.strictObject({}),
    bodyOptional: true,
    data: z.object({ deliveryId: z.string(), status: z.enum(deliveryStatuses) }),
    status: 202,
    audit: 'webhook.delivery_retried',
    errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'CONFLICT'],
    outboundShare: outsideShare,
    idempotent: true,
    capabilities: ['table:write'],
  },
  replay: {
    method: 'POST',
    path: '/{webhookId}/replay',
    access: manage,
    summary: 'Send the events of a time range again: those whose delivery failed, or others',
    body: z.strictObject({
      from: When,
      to: When,
      events: given.events.optional().describe('Only these of what the webhook subscribes to'),
      status: z
        .enum(replayStatuses)
        .default('failed')
        .describe('missing: never sent, because the webhook was disabled or did not exist'),
    }),
    data: z.object({
      webhookId: z.string(),
      from: Moment,
      to: Moment,
      events: z.array(z.string()),
      status: z.string(),
    }),
    status: 202,
    audit: 'webhook.replayed',
    errors: ['WEBHOOK_NOT_FOUND', 'CONFLICT'],
    outboundShare: outsideShare,
    idempotent: true,
    capabilities: ['table:write'],
  },
});
